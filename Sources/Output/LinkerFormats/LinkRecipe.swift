/// How to build a program so that a linker can lay it out in an order: the words that the tools print and
/// use themselves. A linker moves sections, so each function needs one of its own.
package enum LinkRecipe {
  /// For swiftc: lld, and a section for each function. The last flag has it rewrite object files: if one was
  /// compiled without sections, it compares the intermediate code and keeps it.
  package static let swiftCompiler = [
    "-use-ld=lld", "-Xfrontend", "-function-sections", "-Xfrontend",
    "-disable-incremental-llvm-codegen",
  ]

  /// For a C compiler that only compiles.
  package static let compiling = ["-ffunction-sections"]

  /// For `swift build`: the words for Swift and for C.
  package static let swiftPM =
    swiftCompiler.flatMap { ["-Xswiftc", $0] } + compiling.flatMap { ["-Xcc", $0] }

  /// For a C compiler's driver that links, with lld, and may compile too.
  package static let clang = compiling + ["-fuse-ld=lld"]

  /// What has lld link in the order that a file has.
  package static func linking(inOrder file: String) -> String { "--symbol-ordering-file=\(file)" }

  /// The commands that link with lld in the order that a file has.
  package static func commands(file: String) -> [String] {
    [
      "swift build -c release $(firstlight flags swiftpm --order \(file))",
      (["clang"] + clang + ["-Wl,\(linking(inOrder: file))"]).joined(separator: " "),
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
