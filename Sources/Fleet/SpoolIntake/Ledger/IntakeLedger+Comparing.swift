import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// A row for the comparison of its version with the receiver's.
package struct ComparedRow: Sendable {
  package var id: Int64
  package var key: StateKey
  /// The receiver's version in its last answer; 0 if none.
  package var acknowledged: UInt64
  /// The highest version ever sent, or a later one. If the receiver has a higher one, another
  /// ledger with this secret sent it.
  package var latest: UInt64

  package init(id: Int64, key: StateKey, acknowledged: UInt64, latest: UInt64) {
    (self.id, self.key) = (id, key)
    (self.acknowledged, self.latest) = (acknowledged, latest)
  }
}

extension IntakeLedger {
  /// Rows to compare, by id. All rows are compared, sent or not: an outdated copy of a ledger
  /// learns of its state from later versions at the receiver.
  package func rowsToCompare(after id: Int64) throws(Failure) -> [ComparedRow] {
    let atOpening = versionsAtOpening.withLock { $0 }
    return try read { database in
      try Row.fetchAll(
        try database.cachedStatement(
          sql: """
            SELECT id, acknowledged, version, build_id, recorder, guards, day, labels
            FROM state WHERE id > ? ORDER BY id LIMIT ?
            """), arguments: [id, StateBatch.rowLimit]
      ).compactMap { row in
        guard let key = try Self.stateKey(row, from: 3) else { return nil }
        let id: Int64 = try row.value(0)
        let version = UInt64(try row.value(2) as Int64)
        return ComparedRow(
          id: id, key: key, acknowledged: UInt64(try row.value(1) as Int64),
          // Later versions were not sent, since sending waits for this comparison.
          latest: atOpening.map { $0[id] ?? 0 } ?? version)
      }
    }
  }

  /// Whether rows have not been compared since the ledger was opened. Nothing is sent before.
  package var needsComparison: Bool { versionsAtOpening.withLock { $0 != nil } }

  /// Records that all rows were compared since the ledger was opened. What is parked is tried
  /// again: the receiver may be another one, or another version.
  package func wasCompared() throws(Failure) {
    versionsAtOpening.withLock { $0 = nil }
    try write {
      try $0.execute(
        sql: """
          UPDATE state SET parked = 0 WHERE parked <> 0;
          UPDATE sample SET acknowledged = 0 WHERE acknowledged = -1;
          """)
    }
  }

  /// Schedules rows that the receiver lacks or has in an older version, and the samples of their
  /// builds: a store may have lost its disk, or be a new one.
  /// - Parameter rows: each with the receiver's version; 0 if none.
  /// - Returns: the number of scheduled rows.
  package func sendAgain(
    _ rows: [(row: ComparedRow, version: UInt64)]
  ) throws(Failure) -> Int {
    let behind = rows.filter { $0.version < $0.row.acknowledged }
    if behind.isEmpty { return 0 }
    try write { database in
      let now = try uptime(notedIn: database)
      for (row, version) in behind {
        try database.execute(
          cachedSQL: """
            UPDATE state SET acknowledged = ?, sent = NULL, changed = min(changed, ?)
            WHERE id = ?
            """, arguments: [Int64(version), now, row.id])
        try database.execute(
          cachedSQL: "UPDATE sample SET acknowledged = 0 WHERE build_id = ? AND recorder = ?",
          arguments: [row.key.build.buildID.description, row.key.build.recorder.rawValue])
      }
    }
    return behind.count
  }

  /// Makes a new secret and forgets all rows. For a ledger whose receiver has later rows: it is an
  /// outdated copy, or another host has a copy of it.
  /// - Returns: number of counted runs that the receiver may lack; a run counts once for each build.
  package func startAnew() throws(Failure) -> Int {
    try write { database in
      let lost = try Int.fetchOne(
        database,
        sql: """
          SELECT sum(runs - acknowledged_runs) FROM state WHERE version > acknowledged
          """)
      try database.execute(sql: "DELETE FROM state; DELETE FROM sample;")
      try database.execute(
        sql: "UPDATE publisher SET secret = ?", arguments: [Data(LedgerSecret().bytes)])
      return lost ?? 0
    }
  }

  static func versions(_ database: Database) throws -> [Int64: UInt64] {
    var versions: [Int64: UInt64] = [:]
    let rows = try Row.fetchCursor(database, sql: "SELECT id, version FROM state")
    while let row = try rows.next() {
      versions[try row.value(0)] = UInt64(try row.value(1) as Int64)
    }
    return versions
  }
}

extension IntakeLedger {
  /// Opens or creates the ledger. A damaged one is moved aside and replaced: a reported gap is
  /// better than a daemon that never starts again.
  ///
  /// - Returns: the ledger, and the new path of the damaged one; nil if there was none.
  /// - Throws: as `init(path:)`. A newer version's ledger is not damaged.
  package static func opened(
    at path: String, inflate: @escaping EarlierOutbox.Inflate = { $0 }
  ) throws(Failure) -> (IntakeLedger, aside: String?) {
    do {
      let outbox = EarlierOutbox(inflate)
      let queue = try connect(path, outbox)
      if try isSound(queue) {
        return (try IntakeLedger(queue, at: path, earlier: outbox.report), nil)
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
