import FirstlightModel

/// Writes rows in ClickHouse's format RowBinary: consecutive columns, little-endian integers and
/// floats, lengths of texts and arrays as LEB128. Source: ClickHouse documentation, "RowBinary".
struct RowWriter {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// Begins the next row.
  mutating func row() { count += 1 }

  mutating func add(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ value: Double) { add(value.bitPattern) }

  mutating func add(_ value: Bool) { bytes.append(value ? 1 : 0) }

  mutating func add(_ value: String) {
    length(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  mutating func add(_ value: [UInt8]) {
    length(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func add<Value: FixedWidthInteger>(array: [Value]) {
    length(array.count)
    let values = array.map(\.littleEndian)
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  mutating func add(array: [String]) {
    length(array.count)
    for value in array { add(value) }
  }

  private mutating func length(_ value: Int) { LEB128.append(UInt64(value), to: &bytes) }
}
