import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// A row for the comparison of its version with the receiver's.
package struct ComparedRow: Sendable {
  package var id: Int64
  package var key: StateKey
  /// Whether the row is of the current life.
  var isCurrent: Bool
  package var version: RowVersion
  /// The receiver's version in its last answer.
  package var acknowledged: RowVersion
}

/// The result of a comparison with the receiver.
package struct Comparison: Hashable, Sendable {
  /// The number of rows that are sent again.
  package var again = 0
  /// Whether another copy of the ledger is in the current life.
  package var isForeign = false

  package init() {}
}

extension IntakeLedger {
  /// Rows of one life to compare, by id.
  /// - Returns: nil if there are none.
  package func rowsToCompare(
    after id: Int64
  ) throws(Failure) -> (secret: LedgerSecret, rows: [ComparedRow])? {
    try read { database in
      let found = try Row.fetchCursor(
        try database.cachedStatement(
          sql: """
            SELECT id, life, version, mark, acknowledged, acknowledged_mark,
              build_id, recorder, guards, day, labels
            FROM state WHERE id > ? ORDER BY id LIMIT ?
            """), arguments: [id, StateBatch.rowLimit])
      var (rows, life): ([ComparedRow], Int64?) = ([], nil)
      while let row = try found.next() {
        guard let key = try Self.stateKey(row, from: 6) else { continue }
        let owner: Int64 = try row.value(1)
        if life ?? owner != owner { break }
        life = owner
        rows.append(
          ComparedRow(
            id: try row.value(0), key: key, isCurrent: owner == self.life.current,
            version: try version(row, 2, of: owner), acknowledged: try version(row, 4, of: owner)))
      }
      return try life.map { (try secret(of: $0, in: database), rows) }
    }
  }

  /// Schedules rows that the receiver lacks, and the samples of their builds: a store may have lost its disk, or be
  /// a new one.
  /// - Parameter rows: each with the receiver's version; nil if it has none.
  package func compared(
    _ rows: [(row: ComparedRow, stored: RowVersion?)]
  ) throws(Failure) -> Comparison {
    var result = Comparison()
    var (lacking, known): ([ComparedRow], [ComparedRow]) = ([], [])
    for (row, stored) in rows {
      guard let stored else {
        if row.acknowledged != .none { lacking.append(row) }
        continue
      }
      if row.isCurrent {
        // An unmarked version was sent by a copy that has begun another life since.
        if stored.mark != 0, stored != row.acknowledged { result.isForeign = true }
      } else if stored.changes < row.acknowledged.changes {
        lacking.append(row)
      } else if stored.changes >= row.version.changes, row.acknowledged < row.version {
        // Another copy of the ledger has sent it, or has continued the life after this copy was made.
        known.append(row)
      }
    }
    result.again = lacking.count
    if lacking.isEmpty, known.isEmpty { return result }
    try write { database in
      let now = try uptime(notedIn: database)
      for row in known {
        try database.execute(
          cachedSQL: """
            UPDATE state SET acknowledged = version, acknowledged_runs = runs WHERE id = ?
            """, arguments: [row.id])
      }
      for row in lacking {
        try database.execute(
          cachedSQL: """
            UPDATE state SET acknowledged = 0, acknowledged_mark = 0, sent = NULL,
              changed = min(changed, ?)
            WHERE id = ?
            """, arguments: [now, row.id])
        // Another receiver has other samples, and room for more.
        let build = [row.key.build.buildID.description, row.key.build.recorder.rawValue]
        for statement in [
          "UPDATE sample SET acknowledged = 0 WHERE build_id = ? AND recorder = ?",
          "DELETE FROM sample_limit WHERE build_id = ? AND recorder = ?",
        ] {
          try database.execute(cachedSQL: statement, arguments: StatementArguments(build))
        }
      }
      for row in known + lacking {
        try database.execute(
          cachedSQL: "UPDATE state_data SET base = NULL WHERE id = ?", arguments: [row.id])
      }
    }
    return result
  }

  /// Tries parked rows and samples again: the receiver may be another one, or another version.
  package func retryParked() throws(Failure) {
    try write {
      try $0.execute(
        sql: """
          UPDATE state SET parked = 0 WHERE parked <> 0;
          UPDATE sample SET acknowledged = 0 WHERE acknowledged = -1;
          """)
    }
  }
}

extension IntakeLedger {
  /// Opens or creates the ledger. A damaged one is moved aside and replaced: a reported gap is
  /// better than a daemon that never starts again.
  ///
  /// - Returns: the ledger, and the new path of the damaged one; nil if there was none.
  /// - Throws: as `init(path:)`. Another version's ledger is not damaged.
  package static func opened(
    at path: String
  ) throws(Failure) -> (IntakeLedger, aside: String?) {
    do {
      let queue = try connect(path)
      if try isSound(queue) {
        return (try IntakeLedger(queue, at: path), nil)
      }
      try queue.close()
    } catch let error as DatabaseError where isDamage(error) {
      // Treated like damage that the check would have found.
    } catch {
      throw (error as? Failure) ?? SQLFailure.of(error, path: path, opening: true)
    }
    let aside = path + ".damaged-\(UInt64(Date().timeIntervalSince1970))"
    for suffix in ["", "-wal", "-shm"]
    where rename(path + suffix, aside + suffix) != 0 && errno != ENOENT {
      throw Failure(
        .cannotCreate,
        "\(path): damaged, and cannot be moved away: \(ErrorText.of(errno))")
    }
    return (try IntakeLedger(path: path), aside)
  }

  private static func isSound(_ queue: DatabaseQueue) throws -> Bool {
    try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } == "ok"
  }

  private static func isDamage(_ error: DatabaseError) -> Bool {
    [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
  }
}
