import FirstlightModel

/// The format of the `trace` column of a profile.
///
/// A sequence of unsigned LEB128 numbers: the number of distinct threads, their kernel ids, then
/// for each first call in order: the build's row id, the guard index as zigzag difference from the
/// previous call, the thread's index in the list, and nanoseconds since the previous call.
enum TraceBlob {
  static func encode(_ calls: [RecordedCall]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(calls.count * 8 + 16)
    var threads: [UInt32] = []
    var places: [UInt32: Int] = [:]
    for call in calls where places[call.thread] == nil {
      places[call.thread] = threads.count
      threads.append(call.thread)
    }
    LEB128.append(UInt64(threads.count), to: &bytes)
    for thread in threads { LEB128.append(UInt64(thread), to: &bytes) }
    var lastGuard: Int64 = 0
    var lastTime: UInt64 = 0
    for call in calls {
      let difference = Int64(call.guardIndex) - lastGuard
      LEB128.append(UInt64(call.build), to: &bytes)
      LEB128.append(UInt64(bitPattern: (difference << 1) ^ (difference >> 63)), to: &bytes)
      LEB128.append(UInt64(places[call.thread] ?? 0), to: &bytes)
      // Sequence numbers, not clocks, order the calls: clocks of two threads can differ by some ns.
      let time = max(call.time, lastTime)
      LEB128.append(time - lastTime, to: &bytes)
      lastGuard = Int64(call.guardIndex)
      lastTime = time
    }
    return bytes
  }

  /// The calls of a trace, or nil if the bytes are invalid or refer to unknown builds or guards.
  /// `count` is the expected number of calls.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, count: Int, guardCounts: [Int]
  ) -> [RecordedCall]? {
    var at = 0
    // Each call takes at least four bytes.
    guard count >= 0, count <= bytes.count / 4,
      let threadCount = LEB128.next(bytes, &at), threadCount <= UInt64(bytes.count)
    else { return nil }
    var threads: [UInt32] = []
    for _ in 0..<threadCount {
      guard let thread = LEB128.next(bytes, &at), let thread = UInt32(exactly: thread) else {
        return nil
      }
      threads.append(thread)
    }
    var calls: [RecordedCall] = []
    calls.reserveCapacity(count)
    var lastGuard: Int64 = 0
    var lastTime: UInt64 = 0
    for _ in 0..<count {
      guard let build = LEB128.next(bytes, &at), build < UInt64(guardCounts.count),
        let zigzag = LEB128.next(bytes, &at), let place = LEB128.next(bytes, &at),
        let step = LEB128.next(bytes, &at), place < threadCount
      else { return nil }
      let difference = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
      let guardIndex = lastGuard &+ difference
      let time = lastTime &+ step
      guard guardIndex >= 0, guardIndex < Int64(guardCounts[Int(build)]), time >= lastTime,
        time <= ProfileLimits.nanoseconds
      else {
        return nil
      }
      calls.append(
        RecordedCall(
          build: Int32(build), guardIndex: UInt32(guardIndex), thread: threads[Int(place)],
          time: time))
      lastGuard = guardIndex
      lastTime = time
    }
    return at == bytes.count ? calls : nil
  }
}

/// Limits the sum of a file's nanoseconds or page faults, so that adding any of them never overflows.
struct BoundedSum {
  private var sum: UInt64 = 0

  /// Whether the sum can take one more number.
  mutating func add(_ number: UInt64) -> Bool {
    let (next, isOver) = sum.addingReportingOverflow(number)
    guard !isOver, next <= UInt64(Int64.max) else { return false }
    sum = next
    return true
  }
}
