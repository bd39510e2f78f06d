/// Appends numbers and texts to bytes: unsigned LEB128, texts behind their length.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func number(_ value: Int) { number(UInt64(max(0, value))) }

  mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func double(_ value: Double) { fixed(value.bitPattern) }

  mutating func text(_ value: String) {
    number(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  /// Rising numbers, each as the difference to the one before.
  mutating func rising(_ values: some Collection<UInt32>) {
    number(values.count)
    var last: UInt32 = 0
    for value in values {
      number(UInt64(value &- last))
      last = value
    }
  }
}
