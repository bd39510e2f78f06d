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
