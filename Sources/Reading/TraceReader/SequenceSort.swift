import FirstlightModel

/// First calls that share their sequence number with another.
struct SequenceRepeats {
  /// The first such call.
  var first: FirstCall
  /// The number of such calls.
  var count: Int
}

extension [FirstCall] {
  /// Sorts by sequence, in linear time.
  ///
  /// The first calls of one process have distinct sequence numbers, unless a file is damaged:
  /// repeated ones are sorted by time, image and guard, and returned.
  mutating func sortBySequence() -> SequenceRepeats? {
    if isStrictlyRising { return nil }
    radixSort()
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

  private var isStrictlyRising: Bool {
    var last: UInt32?
    for call in self {
      if let last, call.sequence <= last { return false }
      last = call.sequence
    }
    return true
  }

  /// Least significant digit first, digits of 11 bits.
  private mutating func radixSort() {
    // Keys of sequence and index, to move 8 bytes instead of a whole first call.
    var keys = [UInt64](unsafeUninitializedCapacity: count) { keys, filled in
      for index in indices { keys[index] = UInt64(self[index].sequence) << 32 | UInt64(index) }
      filled = count
    }
    var moved = [UInt64](repeating: 0, count: count)
    for shift in stride(from: 32, to: 64, by: 11) {
      keys.withUnsafeBufferPointer { keys in
        moved.withUnsafeMutableBufferPointer { Self.order(keys, by: UInt64(shift), into: $0) }
      }
      swap(&keys, &moved)
    }
    self = [FirstCall](unsafeUninitializedCapacity: count) { sorted, filled in
      for index in indices {
        sorted.initializeElement(at: index, to: self[Int(UInt32(truncatingIfNeeded: keys[index]))])
      }
      filled = count
    }
  }

  /// Sorts keys by the 11 bits from `shift` on; stable for equal bits.
  private static func order(
    _ keys: UnsafeBufferPointer<UInt64>, by shift: UInt64,
    into ordered: UnsafeMutableBufferPointer<UInt64>
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << 11) { starts in
      starts.initialize(repeating: 0)
      for key in keys { starts[Int(truncatingIfNeeded: key >> shift) & 2047] += 1 }
      if starts.contains(keys.count) {
        _ = ordered.update(fromContentsOf: keys)
        return
      }
      var sum = 0
      for digit in starts.indices { (starts[digit], sum) = (sum, sum + starts[digit]) }
      for key in keys {
        let digit = Int(truncatingIfNeeded: key >> shift) & 2047
        ordered[starts[digit]] = key
        starts[digit] += 1
      }
    }
  }
}
