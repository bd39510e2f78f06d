/// Whose sums a row holds: the SHA-256 of a ledger's secret.
///
/// The secret never leaves the ledger and the batches it sends. Stores and answers have only the hash, so a
/// reader of them cannot write another ledger's rows.
package struct PublisherID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package static let byteCount = 32

  /// `byteCount` of them.
  package let bytes: [UInt8]

  /// Nil unless there are `byteCount` bytes.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == Self.byteCount else { return nil }
  }

  private init(repeating byte: UInt8) { bytes = Array(repeating: byte, count: Self.byteCount) }

  /// The publisher of rows that sum up a closed day. No secret is known whose hash this is.
  package static let closedDay = PublisherID(repeating: 0)
  /// The publisher of the sums that an earlier version of the store had.
  package static let earlierStore = PublisherID(repeating: 1)

  /// 64 lower-case hex digits.
  package var description: String {
    bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }

  package static func < (a: PublisherID, b: PublisherID) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

/// What makes a ledger the only writer of its rows: 256 random bits.
package struct LedgerSecret: Hashable, Sendable {
  /// `PublisherID.byteCount` of them.
  package let bytes: [UInt8]

  /// Nil unless there are `PublisherID.byteCount` bytes.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == PublisherID.byteCount else { return nil }
  }

  /// From the system's source of random numbers.
  package init() {
    var random = SystemRandomNumberGenerator()
    bytes = (0..<PublisherID.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }
}
