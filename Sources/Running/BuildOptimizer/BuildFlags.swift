import FirstlightModel

/// The words that make a compiler put in guards and a linker link the runtime.
package struct BuildFlags {
  /// What gets a guard.
  package enum Level: String, CaseIterable {
    case `func`, edge
  }

  /// What builds a program.
  package enum Tool: String, CaseIterable {
    case swiftpm, swiftc, clang
  }

  package let level: Level
  /// Whether guards are behind a switch of their image, which makes them free while it is off.
  package var gated = false
  /// Whether compilers are told not to copy functions into their callers.
  package var keepsCalls = false
  /// Absolute path of libfirstlight_rt.a.
  package let runtime: String

  package init(level: Level, gated: Bool = false, keepsCalls: Bool = false, runtime: String) {
    self.level = level
    self.gated = gated
    self.keepsCalls = keepsCalls
    self.runtime = runtime
  }

  /// swiftc's driver refuses -sanitize-coverage without a sanitizer, and the sanitizer it asks for
  /// would bring its own main; the frontend takes both and links nothing. SwiftPM's own linker on
  /// Linux is gold; orders are lld's.
  package var swiftCompiler: [String] {
    [
      "-Xfrontend", "-sanitize=fuzzer",
      "-Xfrontend", "-sanitize-coverage=\(level.rawValue),trace-pc-guard",
      "-Xllvm", "-sanitizer-coverage-pc-table=1",
      "-Xfrontend", "-function-sections",
      "-use-ld=lld",
    ] + (gated ? ["-Xllvm", Self.gate] : [])
      + (keepsCalls ? Self.keptSwiftCalls.flatMap { ["-Xllvm", $0] } : [])
  }

  /// The frontend's own flags: with the driver's, a link would bring in the sanitizers' hooks before
  /// ours.
  package var clangCompiler: [String] {
    [
      "-Xclang", "-fsanitize-coverage-type=\(level == .func ? 1 : 3)",
      "-Xclang", "-fsanitize-coverage-trace-pc-guard",
      "-Xclang", "-fsanitize-coverage-pc-table",
      "-ffunction-sections",
    ] + (gated ? ["-mllvm", Self.gate] : []) + (keepsCalls ? ["-fno-inline"] : [])
  }

  /// An option of the instrumentation itself.
  private static let gate = "-sanitizer-coverage-gated-trace-callbacks"

  /// Swift's own optimiser has three passes that copy functions, all with this word in their names; LLVM's
  /// copies nothing that costs more than this.
  private static let keptSwiftCalls = ["-sil-disable-pass=inline", "-inline-threshold=-1000000"]

  /// Tells readers that calls were kept: nothing else in a linked file does.
  private static let keptCallsSymbol = "firstlight_keeps_calls"

  /// SwiftPM has the linker drop functions that nothing refers to. Those are the surest of all to be
  /// never called: a list that lacks them is no list of the sources.
  private static let keepUnreferenced = "--disable-dead-strip"

  /// A sanitizer's runtime, which comes in whole, has weak hooks of its own: asked for by another
  /// name, ours are linked beside them and win.
  package var linker: [String] {
    ["--build-id=sha1", "--undefined=firstlight_ready"]
      + (keepsCalls ? ["--defsym=\(Self.keptCallsSymbol)=1"] : []) + [runtime]
  }

  /// The words for a tool's command line.
  package func words(for tool: Tool) -> [String] {
    switch tool {
    case .swiftc:
      swiftCompiler + linker.flatMap { ["-Xlinker", $0] }
    case .swiftpm:
      // -Xcc reaches C and C++ targets alike.
      swiftCompiler.flatMap { ["-Xswiftc", $0] } + clangCompiler.flatMap { ["-Xcc", $0] }
        + linker.flatMap { ["-Xlinker", $0] } + [Self.keepUnreferenced]
    case .clang:
      // Some of these words have no use in a call that only compiles or only links.
      ["--start-no-unused-arguments"] + clangCompiler + ["-fuse-ld=lld"]
        + linker.flatMap { ["-Xlinker", $0] } + ["--end-no-unused-arguments"]
    }
  }

  /// A file that holds the words, for a tool's `responseFileWords`.
  package func responseFile(for tool: Tool) -> String {
    switch tool {
    case .swiftc, .clang:
      words(for: tool).map { Self.quoted($0) + "\n" }.joined()
    case .swiftpm:
      // SwiftPM has no response files; its toolsets do the same
      // (https://github.com/swiftlang/swift-evolution/blob/main/proposals/0387-cross-compilation-destinations.md).
      """
      {
        "schemaVersion": "1.0",
        "swiftCompiler": { "extraCLIOptions": \(Self.list(swiftCompiler)) },
        "cCompiler": { "extraCLIOptions": \(Self.list(clangCompiler)) },
        "cxxCompiler": { "extraCLIOptions": \(Self.list(clangCompiler)) },
        "linker": { "extraCLIOptions": \(Self.list(linker)) }
      }

      """
    }
  }

  /// The words that make a tool read such a file.
  package static func responseFileWords(for tool: Tool, path: String) -> [String] {
    tool == .swiftpm ? ["--toolset", path, keepUnreferenced] : ["@\(path)"]
  }

  /// Whether a shell leaves a word of the output of `$(...)` as it is: it splits at blanks and
  /// expands patterns.
  package static func isPlain(_ word: String) -> Bool {
    !word.contains { " \t\n*?[\\".contains($0) }
  }

  private static func list(_ words: [String]) -> String {
    "[" + words.map(quoted).joined(separator: ", ") + "]"
  }

  private static func quoted(_ word: String) -> String {
    let escaped = word.reduce(into: "") { text, character in
      if character == "\"" || character == "\\" { text.append("\\") }
      text.append(character)
    }
    return "\"\(escaped)\""
  }
}
