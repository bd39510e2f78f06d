import Foundation
import Testing

/// Where the tools under test, the compilers and the project's files are.
package enum Toolchain {
  /// The directory with `firstlight` and `libfirstlight_rt.a`.
  package static let products: URL = {
    if let named = ProcessInfo.processInfo.environment["FIRSTLIGHT_BIN"] {
      return URL(fileURLWithPath: named)
    }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }()

  package static let firstlight = products.appending(path: "firstlight").path

  package static let project = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Where large inputs and their builds are kept from one test run to the next.
  package static let inputs: URL = {
    let environment = ProcessInfo.processInfo.environment
    return environment["FIRSTLIGHT_TEST_INPUTS"].map { URL(fileURLWithPath: $0) }
      ?? project.appending(path: ".build-inputs")
  }()

  /// The Swift toolchain's programs first: its clang, lld, llvm-nm and llvm-symbolizer.
  package static let path: String = {
    let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for directory in inherited.split(separator: ":") {
      let swift = URL(fileURLWithPath: "\(directory)/swift").resolvingSymlinksInPath()
      let clang = swift.deletingLastPathComponent().appending(path: "clang").path
      if FileManager.default.isExecutableFile(atPath: swift.path),
        FileManager.default.isExecutableFile(atPath: clang)
      {
        return swift.deletingLastPathComponent().path + ":" + inherited
      }
    }
    return inherited
  }()

  /// The words that `firstlight` prints.
  package static func words(_ arguments: [String]) throws -> [String] {
    try Command.check([firstlight] + arguments).split(whereSeparator: \.isWhitespace)
      .map(String.init)
  }

  /// The words of `firstlight flags`; those for clang also name the target.
  package static func flags(_ tool: String, _ more: String...) throws -> [String] {
    if tool == "clang", more.isEmpty, let hooks = ProgramTarget.hooks {
      return try ProgramTarget.entryHookFlags(of: hooks)
    }
    let words = try words(["flags", tool] + more)
    return tool == "clang" ? ProgramTarget.adapt(words) : words
  }
}
