/// A set of guards of one build: a bit for each.
public struct GuardSet: Hashable, Sendable {
  /// Guard g is bit g % 64 of word g / 64.
  public private(set) var words: [UInt64]

  public init(guardCount: Int) {
    words = Array(repeating: 0, count: (max(0, guardCount) + 63) / 64)
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

  public mutating func formUnion(_ other: GuardSet) {
    for index in words.indices where index < other.words.count {
      words[index] |= other.words[index]
    }
  }

  /// The guards that are in this set and not in another, rising.
  public func subtracting(_ other: GuardSet) -> [UInt32] {
    let count = words.indices.reduce(0) {
      $0 + (words[$1] & ~($1 < other.words.count ? other.words[$1] : 0)).nonzeroBitCount
    }
    guard count > 0 else { return [] }
    var guards: [UInt32] = []
    guards.reserveCapacity(count)
    for (index, word) in words.enumerated() {
      var rest = word & ~(index < other.words.count ? other.words[index] : 0)
      while rest != 0 {
        guards.append(UInt32(index * 64 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    return guards
  }

  /// How many guards are in it.
  public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}
