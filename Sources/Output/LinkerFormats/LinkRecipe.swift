/// How to build a program so that a linker can lay it out in an order: the words that the tools print and
/// use themselves. A linker moves sections, so each function needs one of its own.
package enum LinkRecipe {
  /// For `swift build`: lld, and a section for each function of Swift and of C.
  package static let swiftPM = [
    "-Xswiftc", "-use-ld=lld", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections",
    "-Xcc", "-ffunction-sections",
  ]

  /// For a C compiler that only compiles.
  package static let compiling = ["-ffunction-sections"]

  /// For a C compiler's driver that links, with lld, and may compile too.
  package static let clang = compiling + ["-fuse-ld=lld"]

  /// The commands that link with lld in the order that a file has.
  ///
  /// - Parameter file: its path; absolute for `swift build`, which links elsewhere.
  package static func commands(file: String) -> [String] {
    [
      (["swift", "build", "-c", "release"] + swiftPM
        + ["-Xlinker", "--symbol-ordering-file=\(file)"]).joined(separator: " "),
      (["clang"] + clang + ["-Wl,--symbol-ordering-file=\(file)"]).joined(separator: " "),
    ]
  }

  /// A command on lines of at most 74 columns, to be pasted into a shell: lines but the last end with a
  /// backslash.
  package static func wrapped(_ command: String, indent: String) -> String {
    var lines: [String] = []
    for word in command.split(separator: " ") {
      if let last = lines.last, last.count + word.count < 72 {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append((lines.isEmpty ? indent : indent + "  ") + word)
      }
    }
    return lines.joined(separator: " \\\n")
  }
}
