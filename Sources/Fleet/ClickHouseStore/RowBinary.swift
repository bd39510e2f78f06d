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

/// Reads columns of rows in the format RowBinary.
///
/// The caller owns the bytes, which must outlive this value.
struct RowReader {
  private let bytes: UnsafeRawBufferPointer
  private let server: String
  private var at = 0

  init(_ bytes: UnsafeRawBufferPointer, from server: String) {
    self.bytes = bytes
    self.server = server
  }

  var isAtEnd: Bool { at >= bytes.count }

  mutating func integer<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(Failure) -> Value {
    let size = Value.bitWidth / 8
    guard bytes.count - at >= size else { throw short }
    defer { at += size }
    return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: Value.self))
  }

  mutating func number<Value: FixedWidthInteger>(_ type: Value.Type) throws(Failure) -> Int {
    // Sums of forged rows may be any number, and must not make other rows unreadable.
    Int(clamping: try integer(type))
  }

  mutating func double() throws(Failure) -> Double { Double(bitPattern: try integer()) }

  mutating func bool() throws(Failure) -> Bool { try integer(UInt8.self) != 0 }

  mutating func data() throws(Failure) -> [UInt8] {
    let length = try length()
    defer { at += length }
    return Array(bytes[at..<at + length])
  }

  mutating func text() throws(Failure) -> String {
    let length = try length()
    defer { at += length }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[at..<at + length]), as: UTF8.self)
  }

  private mutating func length() throws(Failure) -> Int {
    var length: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count, shift < 63 {
      let byte = bytes[at]
      at += 1
      length |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 {
        guard length <= UInt64(bytes.count - at) else { throw short }
        return Int(length)
      }
      shift += 7
    }
    throw short
  }

  private var short: Failure { Failure(.unavailable, "\(server): truncated answer") }
}
