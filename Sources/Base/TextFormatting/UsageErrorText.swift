/// What an argument parser says of a wrong command line, in the style of all other errors: without
/// a capital and a full stop, after the name of the tool.
package enum UsageErrorText {
  /// The whole of it, with usage.
  ///
  /// - Parameter message: begins with `Error: `, if it is an error.
  package static func text(_ message: String) -> String {
    let parts = message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? "\n" + parts[1] : ""
    return "error: " + line(String(parts[0])) + rest
  }

  /// Its first line alone, without the word error.
  package static func line(_ message: String) -> String {
    var line = Substring(message)
    if line.hasPrefix("Error: ") { line = line.dropFirst(7) }
    if line.hasSuffix("."), !line.hasSuffix("..") { line = line.dropLast() }
    guard let first = line.first, first.isUppercase, line.dropFirst().first?.isLowercase == true
    else { return String(line) }
    return first.lowercased() + line.dropFirst()
  }
}
