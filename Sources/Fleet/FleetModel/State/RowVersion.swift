import FirstlightModel

/// The version of a publisher's row: the number of its changes, and a mark of its contents.
///
/// A ledger that runs on in two places (a virtual machine resumed twice from one snapshot) sends different rows
/// under one name. The marks tell them apart: a store takes a marked row only if it has the version that the row
/// follows, so neither copy can replace what the other has sent.
package struct RowVersion: RawRepresentable, Hashable, Sendable, Comparable,
  ExpressibleByIntegerLiteral, CustomStringConvertible
{
  /// The changes in the high 40 bits, the mark in the low 24. Stores keep the highest.
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package init(changes: UInt64, mark: UInt32 = 0) {
    rawValue = changes << Self.markBits | UInt64(mark & Self.markMask)
  }

  package init(integerLiteral changes: UInt64) { self.init(changes: changes) }

  /// No version at all.
  package static let none = RowVersion(rawValue: 0)

  private static let markBits: UInt64 = 24
  private static let markMask: UInt32 = 1 << 24 - 1

  package var changes: UInt64 { rawValue >> Self.markBits }

  /// Zero for rows that never change again, and for those of senders that exist only once.
  package var mark: UInt32 { UInt32(truncatingIfNeeded: rawValue) & Self.markMask }

  package var description: String { mark == 0 ? "\(changes)" : "\(changes):\(mark)" }

  package static func < (a: RowVersion, b: RowVersion) -> Bool { a.rawValue < b.rawValue }

  /// A mark of a row's contents; never zero. A hash, because two copies of a machine may also have the same
  /// random numbers.
  package static func mark(of bytes: [UInt8]) -> UInt32 {
    let hash = FNV1a.hash(of: bytes)
    return max(1, UInt32(truncatingIfNeeded: hash ^ hash >> 24 ^ hash >> 48) & markMask)
  }

  /// The relation of a row to the store's row with the same key.
  package enum Relation: Sendable {
    /// The row contains all counts of the store's row.
    case newer
    /// The store has this version, or one that contains it.
    case known
    /// The store has counts of another copy of the ledger.
    case foreign
  }

  /// - Parameters:
  ///   - stored: the store's version; nil if it has none.
  ///   - follows: the version that the store had by its last answer to the sender.
  package func relation(to stored: RowVersion?, follows: RowVersion) -> Relation {
    guard let stored, stored != self else { return stored == nil ? .newer : .known }
    // An unmarked version is of an ended life, or of a sender that exists only once: the changes decide.
    if mark == 0 { return changes > stored.changes ? .newer : .known }
    if stored.mark == 0 { return changes >= stored.changes ? .newer : .known }
    return stored == follows ? .newer : .foreign
  }
}
