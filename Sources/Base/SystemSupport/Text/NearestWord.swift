/// Guesses the intended word of a misspelt one.
package enum NearestWord {
  /// The first candidate with the fewest edits, if these are few enough for a slip: a third of the
  /// letters, but at least one.
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

  /// Number of insertions, deletions, replacements and exchanges of neighbours that turn one word
  /// into the other (optimal string alignment).
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
