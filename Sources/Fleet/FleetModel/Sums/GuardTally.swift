/// Adds up a number of guard sets of one build.
///
/// Processes only words that some set contains, whatever number of guards the build claims.
/// - Complexity: O(w log n) for w words of n sets.
struct GuardTally {
  /// All guards of all sets.
  private let called: GuardSet
  /// For each word of `called`, the number of guards in earlier words.
  private let ranks: [Int]
  private var sums: [GuardSum]

  /// - Parameters:
  ///   - sets: guards that a run called, with the time in seconds since 1970.
  ///   - newOnHost: guards that a host called for the first time. Guards in no set are ignored.
  static func sums(
    _ sets: [(time: Double, guards: GuardSet)], newOnHost: [GuardSet]
  ) -> (guards: [UInt32], sums: [GuardSum]) {
    var tally = GuardTally(called: union(sets.map(\.guards)[...]))
    tally.count(sets.sorted { $0.time < $1.time })
    for guards in newOnHost {
      tally.forEachWord(of: guards) { tally, place, word in
        tally.forEachGuard(of: word & tally.called.values[place], at: place) { sum, _ in
          sum.hosts += 1
        }
      }
    }
    return (Array(tally.called), tally.sums)
  }

  private init(called: GuardSet) {
    self.called = called
    var count = 0
    ranks = called.values.map { word in
      let before = count
      count += word.nonzeroBitCount
      return before
    }
    sums = Array(repeating: GuardSum(), count: count)
  }

  /// Merges halves recursively, so that each word moves only once for each halving.
  private static func union(_ sets: ArraySlice<GuardSet>) -> GuardSet {
    if sets.count <= 1 { return sets.first ?? GuardSet() }
    let middle = sets.startIndex + sets.count / 2
    var all = union(sets[..<middle])
    all.formUnion(union(sets[middle...]))
    return all
  }

  /// Visits each guard only in the first set that contains it, and in the last.
  /// - Parameter sets: sorted by time.
  private mutating func count(_ sets: [(time: Double, guards: GuardSet)]) {
    var runs = BitCounts(words: called.places.count, sets: sets.count)
    for set in sets {
      forEachWord(of: set.guards) { _, place, word in runs.add(word, at: place) }
    }
    forEachFirst(in: sets) { sum, time in sum.firstSeen = time }
    forEachFirst(in: sets.reversed()) { sum, time in sum.lastSeen = max(0, time) }
    for (place, word) in called.values.enumerated() {
      forEachGuard(of: word, at: place) { sum, bit in sum.runs = runs.count(ofBit: bit, at: place) }
    }
  }

  /// Calls `body` once for each guard, with the time of the first set that contains it.
  private mutating func forEachFirst(
    in sets: some Sequence<(time: Double, guards: GuardSet)>,
    _ body: (inout GuardSum, _ time: Double) -> Void
  ) {
    var found = [UInt64](repeating: 0, count: called.places.count)
    for (time, guards) in sets {
      forEachWord(of: guards) { tally, place, word in
        let new = word & ~found[place]
        found[place] |= word
        tally.forEachGuard(of: new, at: place) { sum, _ in body(&sum, time) }
      }
    }
  }

  /// Calls `body` for each word of a set that `called` has too, with its index in `called`.
  private mutating func forEachWord(
    of set: GuardSet, _ body: (_ tally: inout GuardTally, _ place: Int, _ word: UInt64) -> Void
  ) {
    var place = 0
    for (wanted, word) in zip(set.places, set.values) {
      place = called.places.firstPlace(from: place, notBelow: wanted)
      guard place < called.places.count else { return }
      if called.places[place] == wanted { body(&self, place, word) }
    }
  }

  /// Calls `body` for each guard of a word, with its sum and its bit.
  private mutating func forEachGuard(
    of word: UInt64, at place: Int, _ body: (inout GuardSum, _ bit: Int) -> Void
  ) {
    var rest = word
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      let before = called.values[place] & ((1 << UInt64(bit)) - 1)
      body(&sums[ranks[place] + before.nonzeroBitCount], bit)
    }
  }
}
