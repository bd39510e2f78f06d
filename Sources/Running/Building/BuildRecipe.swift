import FirstlightModel
import LinkerFormats

/// A user's build command, and how linker flags get into it.
///
/// `{flags}` in it stands for the flags as a C compiler's driver takes them, `{cflags}` for what
/// objects are compiled with. `swift build` needs neither: its flags go behind the word `build`.
package struct BuildRecipe {
  /// As it was given.
  package let text: String
  package let isSwiftPM: Bool
  /// Whether it is `swift build` and nothing else, so that it can build elsewhere.
  package let isPlainSwiftPM: Bool

  package static let flagsMark = "{flags}"
  package static let compilerFlagsMark = "{cflags}"

  /// What a build is for.
  package enum Purpose {
    /// As the user builds.
    case plain
    /// With a section for each function, and these words for the linker.
    case linked(with: [String])
  }

  /// Fails with `.usage` if flags have no place to go.
  package init(_ text: String) throws(Failure) {
    self.text = text
    isSwiftPM = !Self.ends(ofSwift: ["build"], in: text).isEmpty
    isPlainSwiftPM =
      isSwiftPM && !text.contains { "&|;<>()`\n$".contains($0) }
      && !text.contains(Self.flagsMark) && !text.contains(Self.compilerFlagsMark)
    guard isSwiftPM || text.contains(Self.flagsMark) else {
      throw Failure(
        .usage, "--build '\(text)' has no {flags} for the linker flags",
        advice: "add {flags} for the linker and {cflags} for the compiler: "
          + "--build 'make CFLAGS=\"-O2 {cflags}\" LDFLAGS=\"{flags}\"'; swift build needs neither")
    }
  }

  /// The command for a shell.
  ///
  /// - Parameters:
  ///   - scratch: where SwiftPM is to build, if the command can say so.
  ///   - extra: further words for `swift build`, if it is that.
  package func command(for purpose: Purpose, scratch: String? = nil, extra: [String] = []) -> String
  {
    guard isSwiftPM else {
      switch purpose {
      case .plain: return replaced(flags: [], compilerFlags: "")
      case .linked(let linker):
        return replaced(
          flags: linkingFlags(linker),
          compilerFlags: LinkRecipe.compiling.joined(separator: " "))
      }
    }
    var words: [String] = []
    if case .linked(let linker) = purpose { words += Self.swiftPMFlags(linker: linker) }
    words += extra
    if isPlainSwiftPM {
      // Behind all else: of an option that is there twice the last one counts.
      if let scratch { words += ["--scratch-path", scratch] }
      return ([text] + words.map(Self.quoted)).joined(separator: " ")
    }
    let shell = words.map(Self.quoted).joined(separator: " ")
    if text.contains(Self.flagsMark) { return replaced(flags: words, compilerFlags: "") }
    var command = text
    if !words.isEmpty {
      for end in Self.ends(ofSwift: ["build"], in: text).reversed() {
        command.insert(contentsOf: " " + shell, at: end)
      }
    }
    return command.replacing(Self.compilerFlagsMark, with: "")
  }

  /// All that the last build got for the linker, to be kept.
  package func linkingFlags(_ linker: [String]) -> [String] {
    isSwiftPM
      ? Self.swiftPMFlags(linker: linker) : LinkRecipe.clang + linker.map { "-Wl,\($0)" }
  }

  /// The words to keep in one's own build, by what they are for.
  package func flags(linker: [String]) -> [String] {
    isSwiftPM
      ? linker.flatMap { $0.split(separator: ",").flatMap { ["-Xlinker", String($0)] } }
      : linker.map { "-Wl,\($0)" }
  }

  package var sectionFlags: [String] {
    isSwiftPM ? Self.swiftPMFlags(linker: []) : LinkRecipe.clang
  }

  private static func swiftPMFlags(linker: [String]) -> [String] {
    LinkRecipe.swiftPM
      + linker.flatMap { $0.split(separator: ",").flatMap { ["-Xlinker", String($0)] } }
  }

  private func replaced(flags: [String], compilerFlags: String) -> String {
    var command = ""
    var rest = text[...]
    while let mark = rest.firstRange(of: Self.flagsMark) {
      command += rest[..<mark.lowerBound]
      let quote = Self.openQuote(in: command)
      command += flags.map { Self.quoted($0, within: quote) }.joined(separator: " ")
      rest = rest[mark.upperBound...]
    }
    return (command + rest).replacing(Self.compilerFlagsMark, with: compilerFlags)
  }

  /// A word as a shell takes it that gets it from within these quotes: such as make's, of a variable.
  /// Without quotes it is the shell of the command itself.
  private static func quoted(_ word: String, within quote: Character?) -> String {
    let quoted = quoted(word)
    // What a path of ours has to be quoted for is a blank.
    return quote == "'" && quoted != word ? "\"\(word)\"" : quoted
  }

  /// The quote that a shell command has opened and not closed; nil: none.
  private static func openQuote(in command: String) -> Character? {
    var quote: Character?
    var isEscaped = false
    for character in command {
      if isEscaped {
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      }
    }
    return quote
  }

  /// Places right behind each `swift build`, or what else SwiftPM does.
  package static func ends(ofSwift verbs: [String], in text: String) -> [String.Index] {
    text.matches(of: /(?:^|[\s;&|(])(?:\S*\/)?swift\s+([a-z]+)(?=\s|$|[;&|)])/)
      .filter { verbs.contains(String($0.1)) }.map(\.range.upperBound)
  }

  /// A word as a shell takes it.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
        || "_./:=,@%+-".utf8.contains($0)
    }
    return isPlain && !word.isEmpty
      ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
