import FirstlightModel

/// First calls that share their sequence with another.
struct SequenceRepeats {
  /// The first that does.
  var first: FirstCall
  /// How many there are.
  var count: Int
}

extension [FirstCall] {
  /// Sorts by sequence, in linear time.
  ///
  /// No two first calls of one process share a sequence, unless a file is damaged: such ones are
  /// put in order of time, image and guard, and returned.
  mutating func sortBySequence() -> SequenceRepeats? {
    if !isSorted { radixSort() }
    var repeats: SequenceRepeats?
    var start = 0
    while start < count {
      var end = start + 1
      while end < count, self[end].sequence == self[start].sequence { end += 1 }
      if end - start > 1 {
        self[start..<end].sort {
          ($0.time, $0.image, $0.guardIndex) < ($1.time, $1.image, $1.guardIndex)
        }
        repeats = SequenceRepeats(
          first: repeats?.first ?? self[start], count: (repeats?.count ?? 0) + end - start)
      }
      start = end
    }
    return repeats
  }

  private var isSorted: Bool {
    for index in indices.dropFirst() where self[index].sequence < self[index - 1].sequence {
      return false
    }
    return true
  }

  /// Least significant digit first, three digits of 11 bits.
  private mutating func radixSort() {
    let bits = 11
    // Sequence and place together, so that what moves is 8 bytes and not a whole first call.
    var keys = enumerated().map { UInt64($1.sequence) << 32 | UInt64($0) }
    var moved = keys
    for shift in stride(from: 32, to: 64, by: bits) {
      var starts = [Int](repeating: 0, count: 1 << bits)
      for key in keys { starts[Int(key >> UInt64(shift)) & (1 << bits - 1)] += 1 }
      var sum = 0
      for digit in starts.indices { (starts[digit], sum) = (sum, sum + starts[digit]) }
      for key in keys {
        let digit = Int(key >> UInt64(shift)) & (1 << bits - 1)
        moved[starts[digit]] = key
        starts[digit] += 1
      }
      swap(&keys, &moved)
    }
    self = keys.map { self[Int(UInt32(truncatingIfNeeded: $0))] }
  }
}
