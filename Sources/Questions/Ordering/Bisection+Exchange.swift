import Glibc

/// Improves a cut by moving functions to the other side.
extension Bisection {
  /// Exchanges functions between the halves, as long as there is a gain, at most `care.rounds`
  /// times.
  ///
  /// - Parameter leftBytes: target size of the left half.
  func improve(_ bucket: Bucket, leftBytes: Int64) {
    guard !bucket.traces.isEmpty else { return }
    var chance = Chance(seed: bucket.number)
    let longest = longestTrace(of: bucket)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: longest + 2) { steps in
      fill(steps, isLastCut: care.isPolishing && bucket.pages(pageSize) <= 3)
      var left: [Candidate] = []
      var right: [Candidate] = []
      for _ in 0..<care.rounds {
        findGains(of: bucket, steps: UnsafePointer(steps.baseAddress!))
        let surplus = findCandidates(of: bucket, left: &left, right: &right) - leftBytes
        let changed = exchange(left, right, surplus: surplus, &chance)
        if changed <= bucket.functions.count / care.thoroughness { break }
      }
    }
  }

  /// For each count, the increase of a side's estimate when a node has that many functions there
  /// instead of one less. The last cut, between two pages, needs no estimate: a page is touched or not.
  private func fill(_ steps: UnsafeMutableBufferPointer<Float>, isLastCut: Bool) {
    steps[0] = 0
    var last: Float = 0
    for count in 1..<steps.count {
      let pages = isLastCut ? 1 : pow(Float(count), BalancedPartitioning.spread)
      steps[count] = pages - last
      last = pages
    }
  }

  private func longestTrace(of bucket: Bucket) -> Int {
    var longest = 0
    var start = bucket.calls.lowerBound
    for trace in bucket.traces {
      longest = max(longest, trace.end - start)
      start = trace.end
    }
    return longest
  }

  /// Computes for each function of the bucket the gain if it alone changes sides.
  ///
  /// A call belongs to the nodes that begin with it or with a later call of its trace. So, from the
  /// last call to the first, two sums hold the gain of a change from left to right, and back, over
  /// all nodes so far.
  private func findGains(of bucket: Bucket, steps: UnsafePointer<Float>) {
    for place in bucket.functions { gains[Int(functions[place])] = 0 }
    var start = bucket.calls.lowerBound
    for trace in bucket.traces {
      var right = 0
      for place in start..<trace.end { right &+= Int(isRight[Int(calls[place].function)]) }
      var left = trace.end &- start &- right
      var fromLeft: Float = 0
      var fromRight: Float = 0
      var nextTime = trace.finish
      var place = trace.end
      while place > start {
        place &-= 1
        let call = calls[place]
        let function = Int(call.function)
        let weight = nextTime - call.time
        nextTime = call.time
        // If a side has no functions left, its sum is not read any more.
        fromLeft += weight * (steps[left] - steps[right &+ 1])
        fromRight += weight * (steps[right] - steps[left &+ 1])
        // Without a branch, which the CPU could not predict.
        let side = Int(isRight[function])
        gains[function] += fromLeft + Float(side) * (fromRight - fromLeft)
        left &-= 1 &- side
        right &-= side
      }
      start = trace.end
    }
  }

  /// The functions of each side that may change it, best first, and the size of the left side.
  private func findCandidates(
    of bucket: Bucket, left: inout [Candidate], right: inout [Candidate]
  ) -> Int64 {
    var best: (left: Float, right: Float) = (-.infinity, -.infinity)
    var leftBytes: Int64 = 0
    for place in bucket.functions {
      let function = Int(functions[place])
      if isRight[function] == 0 {
        leftBytes += Int64(sizes[function])
        best.left = max(best.left, gains[function])
      } else {
        best.right = max(best.right, gains[function])
      }
    }
    left.removeAll(keepingCapacity: true)
    right.removeAll(keepingCapacity: true)
    for place in bucket.functions {
      let function = functions[place]
      let gain = gains[Int(function)]
      if isRight[Int(function)] == 0 {
        if gain + best.right > 0 { left.append(Candidate(gain: gain, function: function)) }
      } else {
        if gain + best.left > 0 { right.append(Candidate(gain: gain, function: function)) }
      }
    }
    left.sort { $0.key < $1.key }
    right.sort { $0.key < $1.key }
    return leftBytes
  }

  /// Moves functions to the other side, always the best one of the side that exceeds its target size.
  ///
  /// - Returns: the number of moved functions.
  private func exchange(
    _ left: [Candidate], _ right: [Candidate], surplus: Int64, _ chance: inout Chance
  ) -> Int {
    let gaining = zip(left, right).prefix { $0.gain + $1.gain > 0 }.count
    let limit = Int((Double(gaining) * BalancedPartitioning.sharePerRound).rounded(.up))
    var surplus = surplus
    var changed = 0
    var next = (left: 0, right: 0)
    while min(next.left, next.right) < limit, next.left < left.count, next.right < right.count,
      left[next.left].gain + right[next.right].gain > 0
    {
      let skips = chance.next() < BalancedPartitioning.skipProbability
      if surplus > 0 {
        let function = Int(left[next.left].function)
        next.left += 1
        if skips { continue }
        isRight[function] = 1
        surplus -= Int64(sizes[function])
      } else {
        let function = Int(right[next.right].function)
        next.right += 1
        if skips { continue }
        isRight[function] = 0
        surplus += Int64(sizes[function])
      }
      changed += 1
    }
    return changed
  }
}

/// A function that may change sides.
private struct Candidate {
  /// Sorts by gain, the largest first, then by function. One number, since it is sorted often.
  let key: UInt64

  init(gain: Float, function: Int32) {
    // Bits of floating-point numbers sort like the numbers, once the sign is flipped.
    let bits = gain.bitPattern
    let rising = bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
    key = UInt64(~rising) << 32 | UInt64(UInt32(bitPattern: function))
  }

  var function: Int32 { Int32(truncatingIfNeeded: key) }

  var gain: Float {
    let rising = ~UInt32(truncatingIfNeeded: key >> 32)
    return Float(bitPattern: rising & 0x8000_0000 == 0 ? ~rising : rising & 0x7fff_ffff)
  }
}

/// Repeatable random numbers (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators).
private struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A number from 0 up to 1.
  mutating func next() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}
