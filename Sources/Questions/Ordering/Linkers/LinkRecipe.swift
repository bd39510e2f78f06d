/// Flags and commands for a build that a linker can put in order. The tools print and use them. A linker moves
/// sections, so each function needs its own.
package enum LinkRecipe {
  /// For swiftc: lld, and a section for each function. The last flag forces swiftc to rewrite object files:
  /// without it, swiftc compares the intermediate code and keeps files that were compiled without sections.
  package static let swiftCompiler = [
    "-use-ld=lld", "-Xfrontend", "-function-sections", "-Xfrontend",
    "-disable-incremental-llvm-codegen",
  ]

  /// For a C compiler that only compiles.
  package static let compiling = ["-ffunction-sections"]

  /// For a C compiler's driver that links with lld, and may compile too.
  package static let clang = compiling + ["-fuse-ld=lld"]

  /// The flag for lld to link in the order of a file.
  package static func linking(inOrder file: String) -> String { "--symbol-ordering-file=\(file)" }

  /// The flag for lld not to warn of names in an order that the program does not have.
  package static let ignoringUnknownNames = "--no-warn-symbol-ordering"

  /// The flags for lld to pack relative relocations.
  package static let packing = ["-z", "pack-relative-relocs"]

  /// The commands that link with lld in the order of a file.
  package static func commands(file: String) -> [String] {
    [
      "swift build -c release $(firstlight flags swiftpm --order \(file))",
      (["clang"] + clang + ["-Wl,\(linking(inOrder: file))"]).joined(separator: " "),
    ]
  }

  /// Wraps a command to lines of at most 74 columns that can be pasted into a shell: all lines but the last end
  /// with a backslash.
  package static func wrapped(_ command: String, indent: String) -> String {
    var lines: [String] = []
    for word in command.split(at: " ") {
      if let last = lines.last, last.count + word.count < 72 {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append((lines.isEmpty ? indent : indent + "  ") + word)
      }
    }
    return lines.joined(separator: " \\\n")
  }
}
