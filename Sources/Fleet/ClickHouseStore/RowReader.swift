import FirstlightModel

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
