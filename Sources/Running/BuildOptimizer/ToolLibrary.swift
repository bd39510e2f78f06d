import FirstlightModel
import SystemSupport

/// A static library that belongs to this tool and goes into users' programs.
package enum ToolLibrary: String {
  case runtime = "firstlight_rt"
  case prefetch = "firstlight_prefetch"

  package var fileName: String { "lib\(rawValue).a" }

  package var advice: String { "build it with: swift build -c release --product \(rawValue)" }

  /// Its absolute path: beside the tool, as a build leaves it, or in ../lib/firstlight, as an
  /// installation does.
  ///
  /// - Throws: `Failure` of kind `unavailable` with the paths tried.
  package func find() throws(Failure) -> String {
    guard let tool = AbsolutePath.resolved("/proc/self/exe") else {
      throw Failure(
        .unavailable,
        "cannot find the path of this tool: it was replaced while it ran, or /proc is not mounted")
    }
    let directory = tool.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let candidates = ["\(directory)/\(fileName)", "\(directory)/../lib/firstlight/\(fileName)"]
    for candidate in candidates {
      if let path = AbsolutePath.resolved(candidate) { return path }
    }
    throw Failure(
      .unavailable, "\(fileName) not found: tried \(candidates.joined(separator: " and "))",
      advice: advice)
  }
}
