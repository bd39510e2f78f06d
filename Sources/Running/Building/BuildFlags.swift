import FirstlightModel
import LinkerFormats
import SystemSupport

/// The words that make a compiler put in guards and a linker link the runtime, or that link a plain
/// build in an order.
package struct BuildFlags {
  /// What gets a guard.
  package enum Level: String, CaseIterable, Sendable {
    case `func`, edge
  }

  /// What builds a program.
  package enum Tool: String, CaseIterable, Sendable {
    case swiftpm, swiftc, clang
  }

  /// For swiftc.
  package let swiftCompiler: [String]
  /// For clang, when it compiles.
  package let clangCompiler: [String]
  /// For the linker itself.
  package let linker: [String]
  /// For `swift build` itself.
  private let swiftPM: [String]

  /// The words for a build with guards.
  ///
  /// swiftc's driver refuses -sanitize-coverage without a sanitizer, and the sanitizer it asks for
  /// would bring its own main; the frontend takes both and links nothing. For clang, too, these are the
  /// frontend's own flags: with the driver's, a link would bring in the sanitizers' hooks before ours.
  ///
  /// - Parameters:
  ///   - gated: whether guards are behind a switch of their image, which makes them free while it is
  ///     off.
  ///   - keepsCalls: whether to keep compilers from copying functions into their callers.
  ///   - runtime: absolute path of libfirstlight_rt.a.
  package init(level: Level, gated: Bool = false, keepsCalls: Bool = false, runtime: String) {
    swiftCompiler =
      [
        "-Xfrontend", "-sanitize=fuzzer",
        "-Xfrontend", "-sanitize-coverage=\(level.rawValue),trace-pc-guard",
        "-Xllvm", "-sanitizer-coverage-pc-table=1",
      ] + LinkRecipe.swiftCompiler + (gated ? ["-Xllvm", Self.gate] : [])
      + (keepsCalls ? Self.keptSwiftCalls.flatMap { ["-Xllvm", $0] } : [])
    clangCompiler =
      [
        "-Xclang", "-fsanitize-coverage-type=\(level == .func ? 1 : 3)",
        "-Xclang", "-fsanitize-coverage-trace-pc-guard",
        "-Xclang", "-fsanitize-coverage-pc-table",
      ] + LinkRecipe.compiling + (gated ? ["-mllvm", Self.gate] : [])
      + (keepsCalls ? ["-fno-inline"] : [])
    // A sanitizer's runtime, which comes in whole, has weak hooks of its own: asked for by another
    // name, ours are linked beside them and win.
    linker =
      ["--build-id=sha1", "--undefined=firstlight_ready"]
      + (keepsCalls ? ["--defsym=\(Self.keptCallsSymbol)=1"] : []) + [runtime]
    swiftPM = [Self.keepUnreferenced]
  }

  /// The words for a build without guards that lld links in an order.
  ///
  /// - Parameter order: its file. Fails with `.noInput` if it cannot be read, with `.data` if it is for
  ///   another linker: lld would pass over each of its lines.
  package init(order: String) throws(Failure) {
    guard OrderFile.namesSymbols(try TextFile.read(order)) else {
      throw Failure(
        .data, "\(order): this order is for another linker than lld",
        advice: "write it with firstlight order --format lld")
    }
    swiftCompiler = LinkRecipe.swiftCompiler
    clangCompiler = LinkRecipe.compiling
    // SwiftPM links in a folder of its own.
    linker = [LinkRecipe.linking(inOrder: AbsolutePath.of(order))]
    swiftPM = []
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

  /// The words for a tool's command line.
  package func words(for tool: Tool) -> [String] {
    switch tool {
    case .swiftc:
      swiftCompiler + linker.flatMap { ["-Xlinker", $0] }
    case .swiftpm:
      // -Xcc reaches C and C++ targets alike.
      swiftCompiler.flatMap { ["-Xswiftc", $0] } + clangCompiler.flatMap { ["-Xcc", $0] }
        + linker.flatMap { ["-Xlinker", $0] } + swiftPM
    case .clang:
      // Some of these words have no use in a call that only compiles or only links.
      ["--start-no-unused-arguments"] + clangCompiler + ["-fuse-ld=lld"]
        + linker.flatMap { ["-Xlinker", $0] } + ["--end-no-unused-arguments"]
    }
  }

  /// The words as a shell takes them from the output of `$(...)`.
  ///
  /// - Parameter responseFile: where to write them first; the result then names this file.
  /// - Throws: `Failure` of kind `usage` if a word would not survive a shell; of `cannotCreate` or
  ///   `inputOutput` if the file cannot be written.
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

  private func responseFileText(for tool: Tool) -> String {
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
