import FirstlightModel

/// Appends numbers and texts to bytes: unsigned LEB128, texts behind their length.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func number(_ value: UInt64) { LEB128.append(value, to: &bytes) }

  mutating func number(_ value: Int) { number(UInt64(max(0, value))) }

  mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func double(_ value: Double) { fixed(value.bitPattern) }

  mutating func text(_ value: String) {
    number(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  /// A text, truncated to `limit` bytes.
  mutating func text(_ value: String, limit: Int) {
    guard value.utf8.count > limit else { return text(value) }
    var start = Array(value.utf8.prefix(limit))
    // Drops a partial last character: removes bytes up to the one that begins it.
    while let last = start.popLast(), last & 0xc0 == 0x80 {}
    number(start.count)
    bytes += start
  }

  mutating func build(_ key: BuildKey) {
    text(key.buildID.description)
    number(key.recorder.number)
  }

  /// Rising numbers, each as difference to the previous one.
  mutating func rising(_ values: some Collection<UInt32>) {
    number(values.count)
    // Five bytes are enough for each number.
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
