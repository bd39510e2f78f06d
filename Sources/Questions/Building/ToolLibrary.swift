import FirstlightModel
import Glibc
import ProcessControl
import ReferenceIndex
import SystemSupport

/// A static library of this tool that is linked into users' programs.
package enum ToolLibrary: String {
  case runtime = "firstlight_rt"
  case prefetch = "firstlight_prefetch"
  case conformances = "firstlight_conformances"

  package var fileName: String { "lib\(rawValue).a" }

  package var advice: String { "build it with: swift build -c release --product \(rawValue)" }

  /// The absolute path of the library: beside the tool in a build directory, or in ../lib/firstlight in an
  /// installation.
  ///
  /// - Throws: `Failure` of kind `unavailable` with the paths tried.
  package func find() throws(Failure) -> String {
    guard let tool = AbsolutePath.resolved("/proc/self/exe") else {
      throw Failure(
        .unavailable,
        "cannot find the path of this tool: it was replaced while it ran, or /proc is not mounted")
    }
    let directory = tool.split(at: "/").dropLast().map { "/" + $0 }.joined()
    let candidates = ["\(directory)/\(fileName)", "\(directory)/../lib/firstlight/\(fileName)"]
    for candidate in candidates {
      if let path = AbsolutePath.resolved(candidate) { return path }
    }
    throw Failure(
      .unavailable, "\(fileName) not found: tried \(candidates.joined(separator: " and "))",
      advice: advice)
  }
}

/// Compilers and linkers on PATH, with their versions.
package enum InstalledTool {
  private static let names = ["swift", "clang", "ld.lld", "ld", "ld.gold", "gcc"]

  package static func all() -> [MachineFacts.Tool] {
    names.map { name in
      guard let path = try? ProgramPath.find(name) else { return MachineFacts.Tool(name: name) }
      return MachineFacts.Tool(name: name, path: path, version: version(path))
    }
  }

  private static func version(_ path: String) -> String? {
    guard let log = try? ProgramLog() else { return nil }
    let tool = ProgramCommand([path, "--version"], environment: ["LC_ALL": "C"], log: log)
    return (try? tool.run())?.exitStatus == 0 ? number(in: log.start(256)) : nil
  }

  /// The first number with a dot, as in "LLD 21.0.0 (...)".
  static func number(in text: String) -> String? {
    text.firstMatch(of: /\d+(\.\d+)+/).map { String($0.0) }
  }
}
