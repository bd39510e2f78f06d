/// Some guards of one build, in the form with the shorter encoding.
package enum GuardSelection: Hashable, Sendable {
  /// Rising.
  case list([UInt32])
  case bits(GuardSet)

  /// A list takes a byte or two for each of its guards, a set an eighth of a byte for each possible one.
  package init(_ set: GuardSet) {
    self = set.wordCount * 8 <= set.count * 2 ? .bits(set) : .list(Array(set))
  }

  package var set: GuardSet {
    switch self {
    case .list(let guards): GuardSet(guards)
    case .bits(let set): set
    }
  }

  /// Number of guards.
  package var count: Int {
    switch self {
    case .list(let guards): guards.count
    case .bits(let set): set.count
    }
  }
}

/// Guards in rising order.
extension GuardSelection: Sequence {
  package func makeIterator() -> AnyIterator<UInt32> {
    switch self {
    case .list(let guards): AnyIterator(guards.makeIterator())
    case .bits(let set): AnyIterator(set.makeIterator())
    }
  }

  package var underestimatedCount: Int { count }

  package func contains(_ index: UInt32) -> Bool {
    switch self {
    case .list(let guards):
      let place = guards.firstPlace(from: 0, notBelow: index)
      return place < guards.count && guards[place] == index
    case .bits(let set): return set.contains(index)
    }
  }
}

extension GuardSelection: ExpressibleByArrayLiteral {
  /// A list of rising guards.
  package init(arrayLiteral guards: UInt32...) { self = .list(guards) }
}
