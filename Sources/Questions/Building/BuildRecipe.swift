import FirstlightModel
import Ordering
import SystemSupport

/// A user's build command, into which linker flags are inserted.
///
/// `{flags}` in the command stands for flags in the form of a C compiler's driver, `{cflags}` for flags that
/// compile objects. `swift build` needs neither: its flags follow the word `build`.
package struct BuildRecipe {
  /// The user's text.
  package let text: String
  package let isSwiftPM: Bool
  /// Whether the command is only `swift build`, so that it reads files from the directory in which the user works.
  let isPlainSwiftPM: Bool

  static let flagsMark = "{flags}"
  static let compilerFlagsMark = "{cflags}"

  /// The purpose of a build.
  package enum Purpose {
    /// The user's own build.
    case plain
    /// A build with a section for each function, and these flags for the linker.
    case linked(with: [String])
    /// The same, with the flags in a file.
    case keeping(file: String)
  }

  /// Throws `.usage` if the command has no place for flags.
  package init(_ text: String) throws(Failure) {
    self.text = text
    isSwiftPM = !Self.ends(ofSwift: ["build"], in: text).isEmpty
    isPlainSwiftPM =
      isSwiftPM && !text.utf8.contains { "&|;<>()`\n$".utf8.contains($0) }
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
  package func command(for purpose: Purpose) -> String {
    let words = flags(for: purpose)
    guard isSwiftPM else {
      return replaced(
        flags: words,
        compilerFlags: words.isEmpty ? "" : LinkRecipe.compiling.joined(separator: " "))
    }
    if isPlainSwiftPM {
      return ([text] + words.map(Escaping.shellWord)).joined(separator: " ")
    }
    let shell = words.map(Escaping.shellWord).joined(separator: " ")
    if text.contains(Self.flagsMark) { return replaced(flags: words, compilerFlags: "") }
    var command = text
    if !words.isEmpty {
      for end in Self.ends(ofSwift: ["build"], in: text).reversed() {
        command.insert(contentsOf: " " + shell, at: end)
      }
    }
    return command.replacing(utf8: Self.compilerFlagsMark, with: "")
  }

  /// The words that follow `swift build`, or take the place of `{flags}`.
  package func flags(for purpose: Purpose) -> [String] {
    switch purpose {
    case .plain: []
    case .linked(let linker):
      isSwiftPM
        ? BuildFlags(linking: linker).words(for: .swiftpm)
        : LinkRecipe.clang + linker.map { "-Wl,\($0)" }
    case .keeping(let file): isSwiftPM ? ["--toolset", file] : ["@\(file)"]
    }
  }

  /// The text of the file for `.keeping`: a toolset for SwiftPM, a response file for C compilers.
  func file(linking linker: [String]) -> String {
    BuildFlags(linking: linker).responseFileText(for: isSwiftPM ? .swiftpm : .gcc)
  }

  private func replaced(flags: [String], compilerFlags: String) -> String {
    var command = ""
    var rest = text[...]
    while let mark = rest.firstRange(ofUTF8: Self.flagsMark) {
      command += rest[..<mark.lowerBound]
      let quote = Self.openQuote(in: command)
      command += flags.map { Self.quoted($0, within: quote) }.joined(separator: " ")
      rest = rest[mark.upperBound...]
    }
    return (command + rest).replacing(utf8: Self.compilerFlagsMark, with: compilerFlags)
  }

  /// Quotes a word for the shell that gets it from inside these quotes, such as make's shell for a variable.
  /// Without quotes, that is the command's own shell.
  private static func quoted(_ word: String, within quote: Unicode.Scalar?) -> String {
    let quoted = Escaping.shellWord(word)
    switch quote {
    case "'" where quoted.utf8.count > word.utf8.count:
      let inner = "\"\(Escaping.inDoubleQuotes(word))\""
      return inner.replacing(utf8: "'", with: "'\\''")
    case "\"": return Escaping.inDoubleQuotes(quoted)
    default: return quoted
    }
  }

  /// The last quote that a shell command opens and does not close; nil without one.
  private static func openQuote(in command: String) -> Unicode.Scalar? {
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in command.unicodeScalars {
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\", quote != "'" {
        isEscaped = true
      } else if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "'" || scalar == "\"" {
        quote = scalar
      }
    }
    return quote
  }

  /// Places right after each `swift build`, or after other verbs of SwiftPM.
  package static func ends(ofSwift verbs: [String], in text: String) -> [String.Index] {
    text.matches(of: /(?:^|[\s;&|(])(?:\S*\/)?swift\s+([a-z]+)(?=\s|$|[;&|)])/)
      .filter { verbs.contains(String($0.1)) }.map(\.range.upperBound)
  }
}
