/// Bytes and numbers as lower-case hexadecimal digits, all of them.
package enum HexText {
  /// Two digits for each byte.
  package static func of(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// 16 digits.
  package static func of(_ number: UInt64) -> String {
    withUnsafeBytes(of: number.bigEndian) { of($0) }
  }
}
