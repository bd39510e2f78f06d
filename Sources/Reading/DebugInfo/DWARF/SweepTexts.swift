import FirstlightModel
import Glibc

/// The texts that the threads of a sweep collected, without duplicates: names of symbols and
/// entries, and paths, numbered at first use.
struct SweepTexts {
  private(set) var names: [String] = []
  private(set) var files: [String] = []

  private let symbols: FunctionSymbols?
  private let parts: [(names: EntryNames, paths: [String])]
  /// Numbers in the table, by symbol, and by part and number; -1 if not used yet.
  private var symbolNumbers: [Int32]
  private var nameNumbers: [[Int32]]
  private var pathNumbers: [[Int32]]
  private var knownNames: [HashedText: Int32] = [:]
  private var knownPaths: [TextBytes: Int32] = [:]

  init(_ symbols: FunctionSymbols?, _ parts: [(names: EntryNames, paths: [String])]) {
    self.symbols = symbols
    self.parts = parts
    symbolNumbers = [Int32](repeating: -1, count: symbols?.entries.count ?? 0)
    nameNumbers = parts.map { [Int32](repeating: -1, count: $0.names.texts.count) }
    pathNumbers = parts.map { [Int32](repeating: -1, count: $0.paths.count) }
    let most = nameNumbers.reduce(0) { max($0, $1.count) }
    names.reserveCapacity(most)
    knownNames.reserveCapacity(most)
  }

  /// The number of a symbol's name; -1 for the symbol -1.
  mutating func symbol(_ symbol: Int32) -> Int32 {
    guard symbol >= 0, let symbols else { return -1 }
    if symbolNumbers[Int(symbol)] < 0 {
      symbolNumbers[Int(symbol)] = Int32(names.count)
      names.append(symbols.name(Int(symbol)))
    }
    return symbolNumbers[Int(symbol)]
  }

  /// The number of an entry's name; -1 for the name -1.
  mutating func name(_ part: Int, _ number: Int32) -> Int32 {
    guard number >= 0 else { return -1 }
    if nameNumbers[part][Int(number)] < 0 {
      nameNumbers[part][Int(number)] = self.number(parts[part].names.texts[Int(number)])
    }
    return nameNumbers[part][Int(number)]
  }

  /// The number of a path; -1 for the path -1.
  mutating func path(_ part: Int, _ number: Int32) -> Int32 {
    guard number >= 0 else { return -1 }
    if pathNumbers[part][Int(number)] < 0 {
      pathNumbers[part][Int(number)] = Self.number(
        parts[part].paths[Int(number)], in: &files, &knownPaths)
    }
    return pathNumbers[part][Int(number)]
  }

  private mutating func number(_ text: HashedText) -> Int32 {
    if let number = knownNames[text] { return number }
    let number = Int32(names.count)
    names.append(text.string)
    knownNames[text] = number
    return number
  }

  private static func number(
    _ text: String, in texts: inout [String], _ known: inout [TextBytes: Int32]
  ) -> Int32 {
    if let number = known[text] { return number }
    let number = Int32(texts.count)
    texts.append(text)
    known[text] = number
    return number
  }
}
