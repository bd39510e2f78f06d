import Glibc

/// Numbers the names that a sweep meets, by the address of libdw's text: a name that several entries refer to
/// counts once.
struct EntryNames: @unchecked Sendable {
  // Texts of the handles that the index keeps open.
  private(set) var texts: [HashedText] = []
  private var numbers: [UnsafePointer<CChar>: Int32] = [:]
  /// How much text the names may still have: those of a hostile file can be the ends of one long text.
  private var budget: Int
  /// Whether names were left out.
  private(set) var isIncomplete = false

  init(budget: Int) { self.budget = budget }

  /// The number of a name; -1 if there is none, or if it is left out.
  mutating func number(_ text: UnsafePointer<CChar>?) -> Int32 {
    guard let text else { return -1 }
    if let number = numbers[text] { return number }
    let count = strnlen(text, budget + 1)
    guard count <= budget else {
      isIncomplete = true
      return -1
    }
    budget -= count
    let number = Int32(texts.count)
    texts.append(HashedText(text, count: count))
    numbers[text] = number
    return number
  }
}
