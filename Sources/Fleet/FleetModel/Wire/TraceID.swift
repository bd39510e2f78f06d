import FirstlightModel

/// Permanent identity of one process's evidence: evidence that arrives twice counts once.
package struct TraceID: Hashable, Sendable, CustomStringConvertible {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The identity of a run's process.
  ///
  /// 128 bits from two differently mixed FNV-1a hashes: sufficient against accidents, not against
  /// forgery. Users with an upload token can send any data anyway.
  package init(run: String, process: String) {
    var first: UInt64 = 0xcbf2_9ce4_8422_2325
    var second: UInt64 = 0x6c62_272e_07bb_0142
    func take(_ byte: UInt8) {
      first = (first ^ UInt64(byte)) &* 0x100_0000_01b3
      second = (second ^ UInt64(byte)) &* 0xd6e8_feb8_6659_fd93
      second ^= second >> 29
    }
    for byte in run.utf8 { take(byte) }
    take(0)
    for byte in process.utf8 { take(byte) }
    high = first ^ (first >> 32)
    low = second ^ (second >> 32)
  }

  /// 32 lower-case hex digits.
  package var description: String { HexText.of(high) + HexText.of(low) }
}
