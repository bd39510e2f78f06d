import ByteCoding
import FirstlightModel

/// How a trace's first calls went, as the `returns` column of a profile holds it.
///
/// A sequence of unsigned LEB128 numbers, for each first call in order: one that holds in bit 0
/// whether a duration follows, in bits 1 to 3 the ending and above them how many calls ago the parent
/// began (0: none); then the duration in nanoseconds, if there is one, minor and major faults. Where the
/// first number is 16, which the first call's cannot be, it is no call's, and each call has two more: one
/// more than the nanoseconds on a processor (0: not known) and the number of stops.
enum ReturnsBlob {
  private static let endingBits: UInt64 = 3
  private static let withCPUTime: UInt64 = 16

  static func encode(_ returns: [CallOutcome]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(returns.count * 10)
    let hasCPUTime = returns.contains { $0.cpuTime != nil || $0.stops > 0 }
    if hasCPUTime { LEB128.append(withCPUTime, to: &bytes) }
    for (index, call) in returns.enumerated() {
      let distance = call.parent < 0 ? 0 : UInt64(index) - UInt64(call.parent)
      let ending = distance << endingBits | UInt64(call.ending.rawValue)
      LEB128.append(ending << 1 | (call.duration == nil ? 0 : 1), to: &bytes)
      if let duration = call.duration { LEB128.append(duration, to: &bytes) }
      LEB128.append(UInt64(call.minorFaults), to: &bytes)
      LEB128.append(UInt64(call.majorFaults), to: &bytes)
      guard hasCPUTime else { continue }
      LEB128.append(call.cpuTime.map { $0 &+ 1 } ?? 0, to: &bytes)
      LEB128.append(UInt64(call.stops), to: &bytes)
    }
    return bytes
  }

  /// The returns of `count` calls; nil if the bytes are not those, or name a parent that is none.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int) -> [CallOutcome]? {
    // Each takes at least three bytes.
    guard count <= bytes.count / 3 else { return nil }
    var at = 0
    var start = 0
    let hasCPUTime = LEB128.next(bytes, &start) == withCPUTime
    if hasCPUTime { at = start }
    var returns: [CallOutcome] = []
    returns.reserveCapacity(count)
    var durations = BoundedSum()
    for index in 0..<count {
      guard let head = LEB128.next(bytes, &at),
        let ending = CallOutcome.Ending(rawValue: UInt8((head >> 1) & (1 << endingBits - 1)))
      else { return nil }
      let distance = head >> (1 + endingBits)
      var duration: UInt64?
      if head & 1 == 1 {
        guard let number = LEB128.next(bytes, &at), durations.add(number) else { return nil }
        duration = number
      }
      guard distance <= UInt64(index), let minor = LEB128.next(bytes, &at),
        let major = LEB128.next(bytes, &at), let minorFaults = UInt32(exactly: minor),
        let majorFaults = UInt32(exactly: major)
      else { return nil }
      var cpuTime: UInt64?
      var stops: UInt32 = 0
      if hasCPUTime {
        guard let time = LEB128.next(bytes, &at), let count = LEB128.next(bytes, &at),
          durations.add(time), let number = UInt32(exactly: count)
        else { return nil }
        cpuTime = time == 0 ? nil : time - 1
        stops = number
      }
      returns.append(
        CallOutcome(
          parent: distance == 0 ? -1 : Int32(UInt64(index) - distance), duration: duration,
          ending: ending, minorFaults: minorFaults, majorFaults: majorFaults, cpuTime: cpuTime,
          stops: stops))
    }
    return at == bytes.count ? returns : nil
  }
}
