import FirstlightModel
import Glibc

/// Finds the runtime that belongs to this tool.
enum RuntimeLibrary {
  static let fileName = "libfirstlight_rt.a"

  /// The absolute path of the runtime: beside the tool, as a build leaves it, or in
  /// ../lib/firstlight, as an installation does.
  ///
  /// - Throws: `Failure` of kind `unavailable` saying where it was looked for.
  static func find() throws(Failure) -> String {
    guard let tool = realpath("/proc/self/exe", nil) else {
      throw Failure(.unavailable, "cannot tell where this tool lies: /proc is not mounted")
    }
    defer { free(tool) }
    let directory = String(cString: tool).split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let candidates = ["\(directory)/\(fileName)", "\(directory)/../lib/firstlight/\(fileName)"]
    for candidate in candidates {
      guard let path = realpath(candidate, nil) else { continue }
      defer { free(path) }
      return String(cString: path)
    }
    throw Failure(
      .unavailable, "\(fileName) is neither at \(candidates.joined(separator: " nor at "))",
      advice: "build it with: swift build -c release --product firstlight_rt")
  }
}
