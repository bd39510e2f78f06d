/// Variable-length unsigned numbers: seven bits in each byte, the lowest first; bit 7 is set in all
/// bytes but the last (DWARF 5, section 7.6).
package enum LEB128 {
  @inlinable
  package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads the number at an offset and advances the offset; nil if there is none.
  @inlinable
  package static func next(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count, shift < 64 {
      let byte = bytes[at]
      at += 1
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }
}
