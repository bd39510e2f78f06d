/// Puts an argument parser's message on a wrong command line into the style of all other errors: a line
/// without a capital and a full stop, which ends with where help is.
package enum UsageErrorText {
  /// The line with the word `error`, without what comes between: options and forms of use would push
  /// the reason out of sight, and help has them.
  ///
  /// - Parameter message: begins with `Error: `, if it is an error.
  package static func text(_ message: String) -> String {
    let lines = message.split(separator: "\n")
    var first = lines.first.map(String.init) ?? ""
    // Values that are allowed may stand on lines of their own.
    let values = lines.dropFirst().prefix { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
    if !values.isEmpty { first += " " + values.joined(separator: ", ") }
    let line = "error: " + line(first)
    let help = lines.last.map { $0.drop { $0 == " " } }.flatMap { last in
      last.hasPrefix("See '") && last.hasSuffix(" for more information.")
        ? last.dropFirst(4).dropLast(" for more information.".count) : nil
    }
    guard let help, !line.hasSuffix("?") else { return line }
    return line + "; see \(help)"
  }

  /// Its first line alone, without the word error.
  package static func line(_ message: String) -> String {
    var line = Substring(message)
    if line.hasPrefix("Error: ") { line = line.dropFirst(7) }
    if line.hasSuffix("."), !line.hasSuffix("..") { line = line.dropLast() }
    let text = line.replacing(". Did you mean", with: "; did you mean", maxReplacements: 1)
      .replacing(". Please provide one of", with: "; use one of", maxReplacements: 1)
      .replacing("one of the following:", with: "one of", maxReplacements: 1)
    guard let first = text.first, first.isUppercase, text.dropFirst().first?.isLowercase == true
    else { return String(text) }
    return first.lowercased() + text.dropFirst()
  }
}

/// Guesses which word a misspelt one was meant to be.
package enum NearestWord {
  /// The candidate with the fewest edits, if there are few enough for a slip: a third of the
  /// letters, at least one. The first of several.
  ///
  ///     NearestWord.to("lanch", among: ["launch", "dead"])  // "launch"
  package static func to(_ word: String, among candidates: [String]) -> String? {
    let word = Array(word.lowercased().unicodeScalars.prefix(64))
    let allowed = max(1, word.count / 3)
    let nearest = candidates.map { (word: $0, edits: edits(from: word, to: $0)) }
      .min { $0.edits < $1.edits }
    guard let nearest, nearest.edits <= allowed else { return nil }
    return nearest.word
  }

  /// Insertions, deletions and replacements, and exchanges of neighbours, that make one of the other
  /// (optimal string alignment).
  private static func edits(from word: [Unicode.Scalar], to other: String) -> Int {
    let other = Array(other.lowercased().unicodeScalars)
    var rows = [Array(0...other.count)]
    for i in word.indices {
      var row = [i + 1]
      for j in other.indices {
        var least = min(rows[i][j + 1], row[j]) + 1
        least = min(least, rows[i][j] + (word[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, word[i] == other[j - 1], word[i - 1] == other[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[word.count][other.count]
  }
}
