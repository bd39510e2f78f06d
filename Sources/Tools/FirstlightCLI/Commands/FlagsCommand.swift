import ArgumentParser
import BuildOptimizer
import FirstlightModel
import Glibc
import SystemSupport

struct FlagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flags",
    abstract: "Prints the build flags that make a program recordable.",
    discussion: """
      The flags are words that need no quoting:

        swift build $(firstlight flags swiftpm)
        swift test $(firstlight flags swiftpm)
        swiftc $(firstlight flags swiftc) main.swift
        make CC=clang CFLAGS="-O2 $(firstlight flags clang)" \\
          LDFLAGS="$(firstlight flags clang)"

      The clang flags do for compiling, for linking, and for both in one call. They need clang \
      (not gcc) and lld. Nothing is recorded, and next to nothing is slower, until a program runs \
      under `firstlight record`.
      """)

  @Argument(help: "What builds the program: swiftpm, swiftc or clang.")
  var tool: BuildFlags.Tool

  @Option(
    help: ArgumentHelp(
      "What gets a guard: func (each function) or edge (each branch too, larger and slower)."))
  var level: BuildFlags.Level = .func

  @Flag(
    help: ArgumentHelp(
      "Put the guards behind a switch that recording turns on: where nothing is recorded, a function "
        + "tests it and that is all."))
  var gated = false

  @Flag(
    help: ArgumentHelp(
      "Keep calls calls: optimisers then copy no function into others, so that a never-called list of "
        + "an optimised build is as sure as one of a build without. The program runs slower."))
  var noInlining = false

  @Option(
    help: ArgumentHelp(
      "Write the words to this file and print those that make the tool read it: for a runtime "
        + "whose path would need quoting.", valueName: "file"))
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
          .usage, "the response file's path would need quoting: \(path)",
          advice: "choose another path")
      }
      try Output.write(flags.responseFile(for: tool), to: path)
      words = BuildFlags.responseFileWords(for: tool, path: path)
    } else {
      words = flags.words(for: tool)
      if let word = words.first(where: { !BuildFlags.isPlain($0) }) {
        throw Failure(
          .usage, "this path would need quoting: \(word)",
          advice: "use --response-file FILE, or install firstlight elsewhere")
      }
    }
    try Output.write(words.joined(separator: " ") + "\n", to: nil)
  }
}

extension BuildFlags.Level: ExpressibleByArgument {}

extension BuildFlags.Tool: ExpressibleByArgument {}
