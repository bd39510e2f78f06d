import ByteCoding

/// Appends numbers and texts to bytes: unsigned LEB128, texts behind their length.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func number(_ value: UInt64) { LEB128.append(value, to: &bytes) }

  mutating func number(_ value: Int) { number(UInt64(max(0, value))) }

  mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func words(_ values: [UInt64]) {
    number(values.count)
    bytes.reserveCapacity(bytes.count + values.count * 8)
    for value in values { fixed(value) }
  }

  mutating func double(_ value: Double) { fixed(value.bitPattern) }

  mutating func text(_ value: String) {
    number(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  /// A text, or as much of its start as fits.
  mutating func text(_ value: String, limit: Int) {
    guard value.utf8.count > limit else { return text(value) }
    var start = Array(value.utf8.prefix(limit))
    // Not half a character: back to the byte that begins the last one, and without that one.
    while let last = start.popLast(), last & 0xc0 == 0x80 {}
    number(start.count)
    bytes += start
  }

  /// Rising numbers, each as the difference to the one before.
  mutating func rising(_ values: some Collection<UInt32>) {
    number(values.count)
    // Five bytes hold any of them.
    withUnsafeTemporaryAllocation(byteCount: values.count * 5, alignment: 1) { buffer in
      var end = 0
      var last: UInt32 = 0
      for value in values {
        var rest = value &- last
        last = value
        while rest >= 0x80 {
          buffer[end] = UInt8(truncatingIfNeeded: rest) | 0x80
          rest >>= 7
          end += 1
        }
        buffer[end] = UInt8(rest)
        end += 1
      }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<end]))
    }
  }
}
