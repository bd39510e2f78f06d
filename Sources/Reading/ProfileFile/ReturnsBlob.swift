import FirstlightModel

/// The outcomes of a trace's first calls in the `returns` column of a profile.
///
/// A sequence of unsigned LEB128 numbers for each first call in order: a number with bit 0 for a
/// following duration, bits 1 to 3 for the ending and the distance to the parent's call above (0:
/// no parent); then the duration in nanoseconds, if there is one, minor and major faults.
enum ReturnsBlob {
  private static let endingBits: UInt64 = 3

  static func encode(_ returns: [CallOutcome]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(returns.count * 10)
    for (index, call) in returns.enumerated() {
      let distance = call.parent < 0 ? 0 : UInt64(index) - UInt64(call.parent)
      let ending = distance << endingBits | UInt64(call.ending.rawValue)
      LEB128.append(ending << 1 | (call.duration == nil ? 0 : 1), to: &bytes)
      if let duration = call.duration { LEB128.append(duration, to: &bytes) }
      LEB128.append(UInt64(call.minorFaults), to: &bytes)
      LEB128.append(UInt64(call.majorFaults), to: &bytes)
    }
    return bytes
  }

  /// The outcomes of `count` calls; nil if the bytes are invalid, or refer to an impossible parent.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int) -> [CallOutcome]? {
    // Each call takes at least three bytes.
    guard count <= bytes.count / 3 else { return nil }
    var at = 0
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
      returns.append(
        CallOutcome(
          parent: distance == 0 ? -1 : Int32(UInt64(index) - distance), duration: duration,
          ending: ending, minorFaults: minorFaults, majorFaults: majorFaults))
    }
    return at == bytes.count ? returns : nil
  }
}
