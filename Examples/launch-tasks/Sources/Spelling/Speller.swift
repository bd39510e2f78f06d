import Foundation

/// A word list, with the endings that words may have.
actor Speller {
  struct NoFile: Error {}

  private var path = ""
  private var words: Set<String> = []
  private var endings: [String] = []
  private var letters: [Character: Int] = [:]
  private var lengths: [Int: Int] = [:]

  func readSettings(_ arguments: [String]) throws {
    guard arguments.count == 2 else { throw NoFile() }
    path = arguments[1]
  }

  func readWords() throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    words = Set(text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() })
  }

  func makeEndings() {
    endings = ["s", "es", "ed", "ing"].flatMap { [$0, $0 + "'"] }
  }

  func countLetters() {
    for word in words { for letter in word { letters[letter, default: 0] += 1 } }
  }

  func countLengths() {
    for word in words { lengths[word.count, default: 0] += 1 }
  }

  func knows(_ word: String) -> Bool {
    let word = word.lowercased()
    if words.contains(word) { return true }
    return endings.contains {
      word.hasSuffix($0) && words.contains(String(word.dropLast($0.count)))
    }
  }
}
