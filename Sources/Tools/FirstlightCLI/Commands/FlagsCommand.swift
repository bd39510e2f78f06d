import ArgumentParser
import BuildOptimizer
import FirstlightModel
import Glibc
import SystemSupport

struct FlagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flags",
    abstract: "Prints the build flags that make a program recordable.",
    usage: "firstlight flags [<options>] <tool>",
    discussion: """
        swift build $(firstlight flags swiftpm)
        swift test $(firstlight flags swiftpm)
        swiftc $(firstlight flags swiftc) main.swift
        make CC=clang CFLAGS="-O2 $(firstlight flags clang)" \\
          LDFLAGS="$(firstlight flags clang)"

      The flags need no shell quoting. Pass the clang flags both when compiling and when linking; \
      they need clang (not gcc) and lld. A program built with them records nothing, at almost no \
      cost, until it runs under `firstlight record`.
      """)

  @Argument(help: "Build tool: swiftpm, swiftc or clang.")
  var tool: BuildFlags.Tool

  @Option(
    help: ArgumentHelp(
      "Instrument each function (func) or each branch too (edge: larger and slower)."))
  var level: BuildFlags.Level = .func

  @Flag(
    help: ArgumentHelp(
      "Put the instrumentation behind a switch: a program that is not recorded only tests it in "
        + "each function."))
  var gated = false

  @Flag(
    help: ArgumentHelp(
      "Do not inline functions, so that the never-called list of an optimised build is as complete "
        + "as that of a debug build. The program runs slower."))
  var noInlining = false

  @Option(
    help: ArgumentHelp(
      "Write the flags to this response file and print the flag that reads it: for a runtime "
        + "whose path needs quoting.", valueName: "file"))
  var responseFile: String?

  func run() throws {
    let flags = BuildFlags(
      level: level, gated: gated, keepsCalls: noInlining,
      runtime: try ToolLibrary.runtime.find())
    let words: [String]
    if let responseFile {
      let path = AbsolutePath.of(responseFile)
      guard BuildFlags.isPlain(path) else {
        throw Failure(
          .usage, "the response file's path needs shell quoting: \(path)",
          advice: "choose another path")
      }
      try Output.write(flags.responseFile(for: tool), to: path)
      words = BuildFlags.responseFileWords(for: tool, path: path)
    } else {
      words = flags.words(for: tool)
      if let word = words.first(where: { !BuildFlags.isPlain($0) }) {
        throw Failure(
          .usage, "this flag needs shell quoting: \(word)",
          advice: "use --response-file FILE, or install firstlight elsewhere")
      }
    }
    try Output.write(words.joined(separator: " ") + "\n", to: nil)
  }
}

extension BuildFlags.Level: ExpressibleByArgument {}

extension BuildFlags.Tool: ExpressibleByArgument {}
