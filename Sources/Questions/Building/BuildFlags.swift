import FirstlightModel
import Ordering
import SystemSupport

/// Flags for a build with guards or entry hooks and the runtime, or for a plain build that is linked in an order, or
/// answers conformance look-ups from an index.
package struct BuildFlags {
  /// A tool that builds a program.
  package enum Tool: String, CaseIterable, Sendable {
    case swiftpm, swiftc, clang, gcc
  }

  /// Flags for swiftc.
  package let swiftCompiler: [String]
  /// Flags for clang, when it compiles.
  let clangCompiler: [String]
  /// Whether linking needs lld.
  private let needsLLD: Bool
  /// Flags for the linker itself.
  package let linker: [String]
  /// Flags for `swift build` itself.
  private let swiftPM: [String]

  /// Flags for a build with guards.
  ///
  /// swiftc's driver refuses -sanitize-coverage without a sanitizer, and the sanitizer that it asks for would
  /// bring its own main. The frontend accepts both and links nothing. For clang, these are frontend flags, too:
  /// with the driver's flags, a link would bring in the sanitizers' hooks before ours.
  ///
  /// - Parameters:
  ///   - runtime: absolute path of libfirstlight_rt.a.
  ///   - gated: whether each image has a switch for its guards, which makes them free while it is off.
  ///   - keepsCalls: whether to keep compilers from copying functions into their callers.
  ///   - counts: whether compilers also set a counter in each function of the source, before they inline.
  package init(
    guardsWithRuntime runtime: String, gated: Bool = false, keepsCalls: Bool = false,
    counts: Bool = false
  ) {
    swiftCompiler =
      [
        "-Xfrontend", "-sanitize=fuzzer",
        "-Xfrontend", "-sanitize-coverage=func,trace-pc-guard",
        "-Xllvm", "-sanitizer-coverage-pc-table=1",
      ] + LinkRecipe.swiftCompiler + (gated ? ["-Xllvm", Self.gate] : [])
      + (keepsCalls ? Self.keptSwiftCalls.flatMap { ["-Xllvm", $0] } : [])
      + (counts ? Self.swiftCounters : [])
    clangCompiler =
      [
        "-Xclang", "-fsanitize-coverage-type=1",
        "-Xclang", "-fsanitize-coverage-trace-pc-guard",
        "-Xclang", "-fsanitize-coverage-pc-table",
      ] + LinkRecipe.compiling + (gated ? ["-mllvm", Self.gate] : [])
      + (keepsCalls ? ["-fno-inline"] : []) + (counts ? Self.clangCounters : [])
    // A sanitizer's runtime is linked as a whole and has weak hooks. If ours are requested by another name,
    // they are linked too and win.
    linker =
      ["--build-id=sha1", "--undefined=firstlight_guards"]
      + (keepsCalls ? ["--defsym=\(Self.keptCallsSymbol)=1"] : [])
      + (counts ? [Self.countersRequest] : []) + [runtime]
    swiftPM = [Self.keepUnreferenced]
    needsLLD = true
  }

  /// Flags for a build with entry hooks, by gcc or clang alike, with any linker.
  ///
  /// Functions are found by the table of unwind entries, which static programs lack without a request. Linkers
  /// that read archives once must find the hooks before they have read the calls.
  ///
  /// - Parameter counts: whether clang also sets counters.
  package init(entryHooksWithRuntime runtime: String, counts: Bool = false) {
    swiftCompiler = []
    clangCompiler =
      ["-finstrument-functions", "-fasynchronous-unwind-tables"]
      + (counts ? Self.clangCounters : [])
    linker =
      [
        "--build-id=sha1", "--eh-frame-hdr", "--undefined=__cyg_profile_func_enter",
        "--undefined=firstlight_ready",
      ] + (counts ? [Self.countersRequest] : []) + [runtime]
    swiftPM = []
    needsLLD = false
  }

  /// Flags for a build without guards that lld links in an order.
  ///
  /// - Parameters:
  ///   - order: path of the order. Throws `.noInput` if the file cannot be read, `.data` if it is for another
  ///     linker: lld would ignore each of its lines.
  ///   - target: the glibc where the program is to run: relative relocations are packed if it loads them; nil:
  ///     they are not packed.
  package init(order: String, target: GlibcVersion? = nil) throws(Failure) {
    guard OrderFile.namesSymbols(try TextFile.argument(order)) else {
      throw Failure(
        .data, "\(order): this order is for another linker than lld",
        advice: "write it with firstlight order --format lld")
    }
    // SwiftPM links in a directory of its own, so the path is absolute.
    let packs = target.map { $0 >= .packedRelocations } ?? false
    self.init(
      linking: [LinkRecipe.linking(inOrder: AbsolutePath.of(order))]
        + (packs ? LinkRecipe.packing : []))
  }

  /// Flags for a build without guards of a Swift program that answers conformance look-ups from an index.
  ///
  /// - Parameter library: absolute path of libfirstlight_conformances.a.
  package init(conformances library: String) {
    (swiftCompiler, clangCompiler, swiftPM) = ([], [], [])
    linker = ConformancesObject.linkerWords(library)
    needsLLD = false
  }

  /// Flags for a build without guards that lld links with these flags of its own.
  package init(linking flags: [String]) {
    swiftCompiler = LinkRecipe.swiftCompiler
    clangCompiler = LinkRecipe.compiling
    linker = flags
    swiftPM = []
    needsLLD = true
  }

  /// A compiler option of the instrumentation.
  private static let gate = "-sanitizer-coverage-gated-trace-callbacks"

  /// Counters that the runtime can move into a file. Code does not keep such counters in registers, where a killed
  /// program would lose them. Drivers link the profile runtime, too.
  private static let swiftCounters = [
    "-profile-generate", "-profile-coverage-mapping", "-Xllvm", counterRelocation,
  ]

  private static let clangCounters = [
    "-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm", counterRelocation,
  ]

  private static let counterRelocation = "-runtime-counter-relocation"

  /// Links the runtime's part that gives counters their file.
  private static let countersRequest = "--undefined=firstlight_counters"

  /// Swift's own optimiser has three passes that copy functions, all with `inline` in their names. LLVM's inliner
  /// copies nothing that costs more than the threshold.
  private static let keptSwiftCalls = ["-sil-disable-pass=inline", "-inline-threshold=-1000000"]

  /// A symbol that shows that calls were kept: nothing else in a linked file does.
  private static let keptCallsSymbol = "firstlight_keeps_calls"

  /// SwiftPM makes the linker drop functions without references. These are never called for certain, so a
  /// never-called list would be incomplete without them.
  private static let keepUnreferenced = "--disable-dead-strip"

  /// The flags for a tool's command line.
  package func words(for tool: Tool) -> [String] {
    switch tool {
    case .swiftc:
      swiftCompiler + linker.flatMap { ["-Xlinker", $0] }
    case .swiftpm:
      // -Xcc applies to C and C++ targets alike.
      swiftCompiler.flatMap { ["-Xswiftc", $0] } + clangCompiler.flatMap { ["-Xcc", $0] }
        + linker.flatMap { ["-Xlinker", $0] } + swiftPM
    case .clang:
      // Some flags are unused in a call that only compiles or only links.
      ["--start-no-unused-arguments"] + words(for: .gcc) + ["--end-no-unused-arguments"]
    case .gcc:
      clangCompiler + (needsLLD ? ["-fuse-ld=lld"] : []) + linker.flatMap { ["-Xlinker", $0] }
    }
  }

  /// The flags in a form that a shell can read from the output of `$(...)`.
  ///
  /// - Parameter responseFile: the path of a file to write first; the result then names this file.
  /// - Throws: `Failure` of kind `usage` if a shell would change a word; of `cannotCreate` or `inputOutput` if
  ///   the file cannot be written.
  package func shellWords(for tool: Tool, responseFile: String?) throws(Failure) -> String {
    guard let responseFile else {
      let words = words(for: tool)
      if let word = words.first(where: { !Self.isPlain($0) }) {
        throw Failure(
          .usage, "this flag needs shell quoting: \(word)",
          advice: "use --response-file FILE, or a path without such characters")
      }
      return words.joined(separator: " ")
    }
    let path = AbsolutePath.of(responseFile)
    guard Self.isPlain(path) else {
      throw Failure(
        .usage, "the response file's path needs shell quoting: \(path)",
        advice: "choose another path")
    }
    try ResultFile.write(responseFileText(for: tool), to: path)
    return (tool == .swiftpm ? ["--toolset", path] + swiftPM : ["@\(path)"])
      .joined(separator: " ")
  }

  /// The text of the tool's response file: a toolset for SwiftPM.
  func responseFileText(for tool: Tool) -> String {
    switch tool {
    case .swiftc, .clang, .gcc:
      words(for: tool).map { Escaping.responseFileWord($0) + "\n" }.joined()
    case .swiftpm:
      // SwiftPM has no response files; its toolsets do the same
      // (https://github.com/swiftlang/swift-evolution/blob/main/proposals/0387-cross-compilation-destinations.md).
      // They refuse tools without options.
      [
        ("swiftCompiler", swiftCompiler), ("cCompiler", clangCompiler),
        ("cxxCompiler", clangCompiler), ("linker", linker),
      ].filter { !$1.isEmpty }.reduce("{\n  \"schemaVersion\": \"1.0\"") {
        $0 + ",\n  \"\($1.0)\": { \"extraCLIOptions\": \(Self.list($1.1)) }"
      } + "\n}\n"
    }
  }

  /// Whether a shell leaves a word of the output of `$(...)` unchanged: it splits at blanks and expands
  /// patterns.
  package static func isPlain(_ word: String) -> Bool {
    !word.unicodeScalars.contains { " \t\n*?[\\".unicodeScalars.contains($0) }
  }

  private static func list(_ words: [String]) -> String {
    "[" + words.map(Escaping.jsonText).joined(separator: ", ") + "]"
  }
}
