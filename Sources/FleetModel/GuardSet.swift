/// A set of guards of one build: a bit for each.
public struct GuardSet: Hashable, Sendable {
  /// Guard g is bit g % 64 of word g / 64.
  public private(set) var words: [UInt64]

  public init(guardCount: Int) {
    words = Array(repeating: 0, count: (Swift.max(0, guardCount) + 63) / 64)
  }

  public init(words: [UInt64]) { self.words = words }

  public func contains(_ index: UInt32) -> Bool {
    let word = Int(index >> 6)
    return word < words.count && words[word] & (1 << UInt64(index & 63)) != 0
  }

  /// Guards beyond the set's end are left out.
  public mutating func insert(_ index: UInt32) {
    let word = Int(index >> 6)
    if word < words.count { words[word] |= 1 << UInt64(index & 63) }
  }

  /// Guards beyond the set's end are left out.
  public mutating func formUnion(_ other: GuardSet) {
    for index in 0..<Swift.min(words.count, other.words.count) {
      words[index] |= other.words[index]
    }
  }

  /// The guards that are in this set and not in another.
  public func subtracting(_ other: GuardSet) -> GuardSet {
    var rest = self
    for index in 0..<Swift.min(words.count, other.words.count) {
      rest.words[index] &= ~other.words[index]
    }
    return rest
  }

  public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// How many guards are in it.
  public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}

/// Rising.
extension GuardSet: Sequence {
  public struct Iterator: IteratorProtocol {
    fileprivate let words: [UInt64]
    fileprivate var place = 0
    fileprivate var rest: UInt64 = 0

    public mutating func next() -> UInt32? {
      while rest == 0 {
        guard place < words.count else { return nil }
        rest = words[place]
        place += 1
      }
      defer { rest &= rest - 1 }
      return UInt32((place - 1) * 64 + rest.trailingZeroBitCount)
    }
  }

  public func makeIterator() -> Iterator { Iterator(words: words) }

  public var underestimatedCount: Int { count }
}
