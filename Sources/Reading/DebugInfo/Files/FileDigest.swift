/// A 128-bit digest of a file's contents, for images without build id. It distinguishes builds; it
/// does not protect against forgery.
///
/// Two lanes of 64 bits, each a multiply-rotate mix of all 8-byte words (the last one padded with
/// zeros), finished with the length and an avalanche.
enum FileDigest {
  static func digest(_ bytes: Bytes) -> [UInt8] {
    var first: UInt64 = 0x9e37_79b9_7f4a_7c15
    var second: UInt64 = 0xc2b2_ae3d_27d4_eb4f
    var offset = 0
    while offset < bytes.count {
      var word: UInt64 = 0
      if bytes.count &- offset >= 8 {
        word = bytes.base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      } else {
        for index in 0..<(bytes.count &- offset) {
          let byte = bytes.base.load(fromByteOffset: offset &+ index, as: UInt8.self)
          word |= UInt64(byte) &<< UInt64(index &* 8)
        }
      }
      first = rotated(first ^ word, 29) &* 0x9fb2_1c65_1e98_df25
      second = (rotated(second, 37) &+ word) &* 0xff51_afd7_ed55_8ccd
      offset &+= 8
    }
    let length = UInt64(bytes.count)
    let lanes = [avalanche(first ^ length), avalanche(second &+ length ^ rotated(first, 17))]
    return lanes.flatMap { lane in (0..<8).map { UInt8(truncatingIfNeeded: lane >> (56 - $0 * 8)) }
    }
  }

  @inline(__always)
  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }

  private static func avalanche(_ value: UInt64) -> UInt64 {
    var value = value
    value ^= value >> 33
    value = value &* 0xff51_afd7_ed55_8ccd
    value ^= value >> 33
    value = value &* 0xc4ce_b9fe_1a85_ec53
    return value ^ value >> 33
  }
}

/// The checksum of `.gnu_debuglink`: CRC-32 as in ISO 3309, eight bytes at a time.
enum CRC32 {
  /// `tables[k][b]`: the contribution of byte b when k more bytes of the group of eight follow.
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
