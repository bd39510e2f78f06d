/// The checksum of `.gnu_debuglink`: CRC-32 as in ISO 3309, eight bytes at a time.
enum CRC32 {
  /// `tables[k][b]`: what byte b contributes when k more bytes follow it in the group of eight.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 != 0 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
      tables[byte] = value
    }
    for slice in 1..<8 {
      for byte in 0..<256 {
        let previous = tables[(slice - 1) * 256 + byte]
        tables[slice * 256 + byte] = previous >> 8 ^ tables[Int(previous & 0xff)]
      }
    }
    return tables
  }()

  static func checksum(_ bytes: Bytes) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var value = ~UInt32(0)
      var offset = 0
      while bytes.count &- offset >= 8 {
        let word = bytes.base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ UInt64(value)
        value = 0
        for index in 0..<8 {
          let byte = Int(truncatingIfNeeded: word &>> UInt64(index &* 8)) & 0xff
          value ^= tables[(7 &- index) &* 256 &+ byte]
        }
        offset &+= 8
      }
      while offset < bytes.count {
        let byte = bytes.base.load(fromByteOffset: offset, as: UInt8.self)
        value = value &>> 8 ^ tables[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
        offset &+= 1
      }
      return ~value
    }
  }
}
