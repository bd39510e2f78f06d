import FirstlightModel

/// A set of guards of one build: one bit each, in 64-bit words; words without any guard are omitted.
///
/// Memory depends on the guards in the set, not on the claimed number of guards.
package struct GuardSet: Hashable, Sendable {
  /// Indices of the present words, rising: word w holds the guards 64 w to 64 w + 63.
  package private(set) var places: [UInt32] = []
  /// The words: guard g is bit g % 64. None is 0.
  package private(set) var values: [UInt64] = []

  package init() {}

  /// - Parameter words: all words from the first, including zeros.
  package init(words: [UInt64]) {
    for (place, word) in words.enumerated() where word != 0 { append(word, at: UInt32(place)) }
  }

  /// - Complexity: O(n) if the guards rise, else O(n log n).
  package init(_ guards: some Sequence<UInt32>) {
    var last: UInt32 = 0
    var isRising = true
    for index in guards {
      if index < last {
        isRising = false
        break
      }
      last = index
      appendRising(index)
    }
    if isRising { return }
    self = GuardSet()
    for index in guards.sorted() { appendRising(index) }
  }

  private mutating func appendRising(_ index: UInt32) {
    let bit = UInt64(1) << UInt64(index & 63)
    if places.last == index >> 6 {
      values[values.count - 1] |= bit
    } else {
      append(bit, at: index >> 6)
    }
  }

  /// Appends a word with a higher index than all others.
  @inline(__always) mutating func append(_ word: UInt64, at place: UInt32) {
    places.append(place)
    values.append(word)
  }

  package func contains(_ index: UInt32) -> Bool {
    let place = places.firstPlace(from: 0, notBelow: index >> 6)
    return place < places.count && places[place] == index >> 6
      && values[place] & (1 << UInt64(index & 63)) != 0
  }

  package mutating func formUnion(_ other: GuardSet) {
    if other.isEmpty { return }
    if places == other.places {
      for place in values.indices { values[place] |= other.values[place] }
      return
    }
    var union = GuardSet()
    union.reserve(places.count + other.places.count)
    var (mine, theirs) = (0, 0)
    while mine < places.count, theirs < other.places.count {
      let (place, otherPlace) = (places[mine], other.places[theirs])
      if place < otherPlace {
        union.append(values[mine], at: place)
        mine += 1
      } else if otherPlace < place {
        union.append(other.values[theirs], at: otherPlace)
        theirs += 1
      } else {
        union.append(values[mine] | other.values[theirs], at: place)
        mine += 1
        theirs += 1
      }
    }
    union.append(from: self, mine)
    union.append(from: other, theirs)
    self = union
  }

  /// The guards of this set that are not in `other`.
  package func subtracting(_ other: GuardSet) -> GuardSet {
    var rest = GuardSet()
    rest.reserve(places.count)
    var theirs = 0
    for mine in places.indices {
      theirs = other.places.firstPlace(from: theirs, notBelow: places[mine])
      let isShared = theirs < other.places.count && other.places[theirs] == places[mine]
      let word = isShared ? values[mine] & ~other.values[theirs] : values[mine]
      if word != 0 { rest.append(word, at: places[mine]) }
    }
    return rest
  }

  /// The guards that are in both sets.
  /// - Complexity: O(m log n) for m words of the smaller and n of the larger one.
  package func intersection(_ other: GuardSet) -> GuardSet {
    if other.places.count < places.count { return other.intersection(self) }
    var both = GuardSet()
    var theirs = 0
    for mine in places.indices {
      theirs = other.places.firstPlace(from: theirs, notBelow: places[mine])
      guard theirs < other.places.count else { break }
      guard other.places[theirs] == places[mine] else { continue }
      let word = values[mine] & other.values[theirs]
      if word != 0 { both.append(word, at: places[mine]) }
    }
    return both
  }

  /// The guards below `end`.
  package func below(_ end: Int) -> GuardSet {
    guard let last = places.last, Int(last) >= end / 64 else { return self }
    var rest = GuardSet()
    for (place, word) in zip(places, values) where Int(place) <= end / 64 {
      let kept = Int(place) < end / 64 ? word : word & ((1 << UInt64(end % 64)) - 1)
      if kept != 0 { rest.append(kept, at: place) }
    }
    return rest
  }

  package var isEmpty: Bool { places.isEmpty }

  /// Number of guards.
  package var count: Int { values.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The places of its words, and the words.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.rising(places)
    for word in values { writer.fixed(word) }
    return writer.bytes
  }

  /// - Throws: `.data` if the bytes are not exactly one set.
  package init(decoding bytes: [UInt8]) throws(Failure) {
    self = try ByteReader.read(bytes, whole: "set of functions") { reader throws(Failure) in
      var set = GuardSet()
      set.places = try reader.rising(below: TraceLimits.guards / 64, called: "words")
      for _ in set.places { set.values.append(try reader.fixed()) }
      return set
    }
  }

  private mutating func reserve(_ count: Int) {
    places.reserveCapacity(count)
    values.reserveCapacity(count)
  }

  private mutating func append(from other: GuardSet, _ start: Int) {
    places += other.places[start...]
    values += other.values[start...]
  }
}

/// Guards in rising order.
extension GuardSet: Sequence {
  package struct Iterator: IteratorProtocol {
    fileprivate let set: GuardSet
    fileprivate var place = 0
    fileprivate var rest: UInt64 = 0

    package mutating func next() -> UInt32? {
      while rest == 0 {
        guard place < set.places.count else { return nil }
        rest = set.values[place]
        place += 1
      }
      defer { rest &= rest - 1 }
      return set.places[place - 1] << 6 + UInt32(rest.trailingZeroBitCount)
    }
  }

  package func makeIterator() -> Iterator { Iterator(set: self) }

  package var underestimatedCount: Int { count }
}

extension [UInt32] {
  /// The first index, from `start` on, whose number is not below a bound; the numbers must rise.
  ///
  /// Checks the most likely indices first: `start` and the next one.
  @inline(__always) func firstPlace(from start: Int, notBelow bound: UInt32) -> Int {
    if start >= count || self[start] >= bound { return start }
    if start + 1 >= count || self[start + 1] >= bound { return start + 1 }
    return self[(start + 2)...].partitioningIndex { $0 >= bound }
  }
}
