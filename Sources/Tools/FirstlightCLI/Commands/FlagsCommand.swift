import ArgumentParser
import Building
import FirstlightModel
import SystemSupport

struct FlagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flags",
    abstract: "Prints build flags: to make a program recordable, or to link it for a faster start.",
    usage: "firstlight flags [<options>] <tool>",
    discussion: """
        swift build $(firstlight flags swiftpm)
        swift test $(firstlight flags swiftpm)
        swift build -c release $(firstlight flags swiftpm --counters)
        swiftc $(firstlight flags swiftc) main.swift
        make CC=clang CFLAGS="-O2 $(firstlight flags clang)" \\
          LDFLAGS="$(firstlight flags clang)"
        make CFLAGS="-O2 $(firstlight flags gcc)" LDFLAGS="$(firstlight flags gcc)"
        swift build -c release $(firstlight flags swiftpm --order app.order)

      The flags need no shell quoting. Pass the flags of clang and gcc both when compiling and \
      when linking; those of clang need lld. gcc, or clang with --entry-hooks, instruments \
      functions before it inlines them, so the never-called list of an optimised C or C++ build \
      is complete; any linker will do. The C library may be glibc or musl. A program built with \
      them records nothing until it runs under `firstlight record`. The hook at each call costs \
      about a nanosecond: little for most programs, but one of tiny functions that call each other \
      takes up to twice as long. --gated lowers this cost.

      gcc's hooks break naked functions: add no_instrument_function to these. Fuzz targets \
      (-fsanitize=fuzzer) need clang with --entry-hooks.

      --order prints the flags of a plain build, without instrumentation, that lld links in the \
      order of that file. --conformances prints those with which a Swift program that is linked with \
      --static-swift-stdlib answers conformance look-ups from an index that it makes at the first \
      one (Documentation/Optimizing.md). With --response-file, the flags go into a file to keep: a toolset for \
      SwiftPM (swift build --toolset FILE), a response file for swiftc and clang.
      """)

  @Argument(help: "Build tool: swiftpm, swiftc, clang or gcc.")
  var tool: BuildFlags.Tool

  @Flag(
    help: ArgumentHelp(
      "Put the instrumentation behind a switch: a program that is not recorded only tests it in "
        + "each function."))
  var gated = false

  @Flag(
    help: ArgumentHelp(
      "Do not inline functions, so that the never-called list of an optimised Swift build is as "
        + "complete as that of a debug build; for C it lacks small functions. The program runs "
        + "slower."))
  var noInlining = false

  @Flag(
    help: "Also count functions before inlining: the never-called list is complete. Not for gcc.")
  var counters = false

  @Flag(help: "For clang: instrument functions before inlining, as gcc always does.")
  var entryHooks = false

  @Option(
    help: ArgumentHelp(
      "Print the flags that link in this order (from firstlight order) instead; needs lld.",
      valueName: "file"), completion: .file())
  var order: String?

  @Flag(
    help:
      "Print the flags that make a Swift program answer conformance look-ups from an index instead."
  )
  var conformances = false

  @Option(
    help: ArgumentHelp(
      "With --order: glibc of the machines that will run the program. From 2.36 on, relative "
        + "relocations are packed too (lld 15 or newer).", valueName: "version"))
  var targetGlibc: GlibcVersion?

  @Option(
    help: ArgumentHelp(
      "Write the flags to this toolset or response file and print the flag that reads it.",
      valueName: "file"), completion: .file())
  var responseFile: String?

  func validate() throws {
    let hasGuardOptions = gated || noInlining
    if entryHooks, tool != .clang, tool != .gcc {
      throw ValidationError("--entry-hooks is for clang and gcc; Swift has no such hooks.")
    }
    if entryHooks || tool == .gcc && order == nil, hasGuardOptions {
      throw ValidationError(
        "entry hooks have no variants: leave out --gated and --no-inlining.")
    }
    if counters, tool == .gcc {
      throw ValidationError("--counters is for Swift and clang; gcc has entry hooks.")
    }
    if order != nil, entryHooks || counters || hasGuardOptions {
      throw ValidationError(
        "--order is for a build without instrumentation: leave out --gated, "
          + "--no-inlining, --counters and --entry-hooks.")
    }
    if conformances {
      guard tool == .swiftpm || tool == .swiftc else {
        throw ValidationError("--conformances is for swiftpm and swiftc.")
      }
      if order != nil || entryHooks || counters || hasGuardOptions {
        throw ValidationError("--conformances stands alone: pass its flags beside others.")
      }
    }
    if targetGlibc != nil, order == nil {
      throw ValidationError("--target-glibc is for --order.")
    }
  }

  func run() throws {
    let flags =
      if let order {
        try BuildFlags(order: order, target: targetGlibc)
      } else if conformances {
        BuildFlags(conformances: try ToolLibrary.conformances.find())
      } else if entryHooks || tool == .gcc {
        BuildFlags(entryHooksWithRuntime: try ToolLibrary.runtime.find(), counts: counters)
      } else {
        BuildFlags(
          guardsWithRuntime: try ToolLibrary.runtime.find(), gated: gated, keepsCalls: noInlining,
          counts: counters)
      }
    try Output.write(flags.shellWords(for: tool, responseFile: responseFile) + "\n", to: nil)
  }
}

extension BuildFlags.Tool: ExpressibleByArgument {}
