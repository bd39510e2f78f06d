import FirstlightModel

/// First calls that share their sequence number with another.
struct SequenceRepeats {
  /// The first such call.
  var first: FirstCall
  /// The number of such calls.
  var count: Int
}

extension [FirstCall] {
  /// Sorts by time, and makes each call's place its sequence number.
  mutating func renumberByTime() {
    sort { ($0.time, $0.sequence, $0.image) < ($1.time, $1.sequence, $1.image) }
    for place in indices { self[place].sequence = UInt32(truncatingIfNeeded: place) }
  }

  /// Sorts by sequence. Each image's calls nearly are, which makes this fast.
  ///
  /// The first calls of one process have distinct sequence numbers, unless a file is damaged:
  /// repeated ones are sorted by time, image and guard, and returned.
  mutating func sortBySequence() -> SequenceRepeats? {
    if zip(self, dropFirst()).allSatisfy({ $0.sequence < $1.sequence }) { return nil }
    sort {
      ($0.sequence, $0.time, $0.image, $0.guardIndex)
        < ($1.sequence, $1.time, $1.image, $1.guardIndex)
    }
    var repeats: SequenceRepeats?
    var last: UInt32?
    for (call, next) in zip(self, dropFirst()) where call.sequence == next.sequence {
      repeats = SequenceRepeats(
        first: repeats?.first ?? call,
        count: (repeats?.count ?? 0) + (last == call.sequence ? 1 : 2))
      last = call.sequence
    }
    return repeats
  }
}
