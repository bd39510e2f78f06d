/// Numbers the names that a sweep comes by, by the address of libdw's text: a name that several entries
/// refer to counts once.
struct EntryNames: @unchecked Sendable {
  // Texts of the handles that the index keeps open.
  private(set) var texts: [UnsafePointer<CChar>] = []
  private var numbers: [UnsafePointer<CChar>: Int32] = [:]

  /// The number of a name; -1 if there is none.
  mutating func number(_ text: UnsafePointer<CChar>?) -> Int32 {
    guard let text else { return -1 }
    if let number = numbers[text] { return number }
    let number = Int32(texts.count)
    texts.append(text)
    numbers[text] = number
    return number
  }
}
