import FirstlightModel

/// The owner of rows: the BLAKE3 of a ledger's secret.
///
/// The secret leaves the ledger only in its batches. Stores and answers have only the hash, so
/// their readers cannot write another ledger's rows.
package struct PublisherID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package static let byteCount = 32

  /// Exactly `byteCount` bytes.
  package let bytes: [UInt8]

  /// Nil unless there are `byteCount` bytes.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == Self.byteCount else { return nil }
  }

  private init(repeating byte: UInt8) { bytes = Array(repeating: byte, count: Self.byteCount) }

  /// The publisher of sums of closed days. No secret with this hash is known.
  package static let closedDay = PublisherID(repeating: 0)

  /// 64 lower-case hex digits.
  package var description: String { HexText.of(bytes) }

  package static func < (a: PublisherID, b: PublisherID) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

/// Makes a ledger the only writer of its rows: 256 random bits.
package struct LedgerSecret: Hashable, Sendable {
  /// Exactly `PublisherID.byteCount` bytes.
  package let bytes: [UInt8]

  /// Nil unless there are `PublisherID.byteCount` bytes.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == PublisherID.byteCount else { return nil }
  }

  /// Makes a secret from the system's random numbers.
  package init() {
    var random = SystemRandomNumberGenerator()
    bytes = (0..<PublisherID.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }
}
