/// Some guards of one build, in the form that takes less room where it travels.
public enum GuardSelection: Hashable, Sendable {
  /// Rising.
  case list([UInt32])
  case bits(GuardSet)

  /// A list takes a byte or two for each guard that is in it, a set an eighth for each that could be.
  public init(_ set: GuardSet) {
    let used = set.words.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    self =
      used * 8 <= set.count * 2
      ? .bits(GuardSet(words: Array(set.words.prefix(used)))) : .list(Array(set))
  }
}

/// Rising.
extension GuardSelection: Sequence {
  public func makeIterator() -> AnyIterator<UInt32> {
    switch self {
    case .list(let guards): AnyIterator(guards.makeIterator())
    case .bits(let set): AnyIterator(set.makeIterator())
    }
  }

  public func contains(_ index: UInt32) -> Bool {
    switch self {
    case .list(let guards):
      let place = guards.partitionPoint { $0 >= index }
      return place < guards.count && guards[place] == index
    case .bits(let set): return set.contains(index)
    }
  }
}

extension GuardSelection: ExpressibleByArrayLiteral {
  /// A list; the guards rise.
  public init(arrayLiteral guards: UInt32...) { self = .list(guards) }
}

extension [UInt32] {
  /// The first place of a rising list from which on a condition holds.
  fileprivate func partitionPoint(_ isBeyond: (UInt32) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
