/// Formats an argument parser's message like all other errors: a line without capital letter and
/// full stop, followed by the way to the help.
package enum UsageErrorText {
  /// The error line without the parser's list of options and usage: help has it, and it would push
  /// the reason out of sight.
  ///
  /// - Parameters:
  ///   - message: begins with `Error: ` if it is an error.
  ///   - hint: what to do; nil: see the help.
  package static func text(_ message: String, hint: String? = nil) -> String {
    let lines = message.split(at: "\n")
    var first = lines.first.map(String.init) ?? ""
    // Allowed values may stand on separate lines.
    let values = lines.dropFirst().lazy.map { $0.removing(prefix: "  - ") }.prefix { $0 != nil }
      .compactMap { $0 }
    if !values.isEmpty { first += " " + values.joined(separator: ", ") }
    let line = "error: " + line(first)
    if let hint { return "\(line); \(hint)" }
    let help = lines.last.map { $0.drop(any: " ") }.flatMap { last in
      last.begins(with: "See '") && last.ends(with: " for more information.")
        ? last.dropFirst(4).dropLast(" for more information.".count) : nil
    }
    guard let help, !line.ends(with: "?") else { return line }
    return line + "; see \(help)"
  }

  /// The message's first line, without the word error.
  package static func line(_ message: String) -> String {
    var line = Substring(message)
    line = line.removing(prefix: "Error: ") ?? line
    if !line.ends(with: "..") { line = line.removing(suffix: ".") ?? line }
    let text = line.replacing(utf8: ". Did you mean", with: "; did you mean")
      .replacing(utf8: ". Please provide one of", with: "; use one of")
      .replacing(utf8: "one of the following:", with: "one of")
    let scalars = text.unicodeScalars
    guard let first = scalars.first, first.properties.isUppercase,
      scalars.dropFirst().first?.properties.isLowercase == true
    else { return text }
    return first.properties.lowercaseMapping + String(scalars.dropFirst())
  }
}
