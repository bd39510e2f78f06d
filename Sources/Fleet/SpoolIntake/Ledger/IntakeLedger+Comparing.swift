import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// A row whose version is compared with the receiver's.
package struct ComparedRow: Sendable {
  package var id: Int64
  package var key: StateKey
  /// The version that the receiver has, by its last answer; 0: none.
  package var acknowledged: UInt64
  /// The highest version that was ever sent, or a later one. If the receiver has a higher one, another
  /// ledger with this secret has sent it.
  package var latest: UInt64

  package init(id: Int64, key: StateKey, acknowledged: UInt64, latest: UInt64) {
    (self.id, self.key) = (id, key)
    (self.acknowledged, self.latest) = (acknowledged, latest)
  }
}

extension IntakeLedger {
  /// Rows to compare, by id. All rows are compared, sent or not: a ledger that is an older copy of itself
  /// learns this from rows that the receiver has in later versions.
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
          // Later versions were not sent: sending waits for this comparison.
          latest: atOpening.map { $0[id] ?? 0 } ?? version)
      }
    }
  }

  /// Whether rows were not compared since the ledger was opened. Nothing is sent before.
  package var needsComparison: Bool { versionsAtOpening.withLock { $0 != nil } }

  /// Notes that all rows were compared since the ledger was opened. Rows that were kept back are tried again:
  /// the receiver may be another one by now.
  package func wasCompared() throws(Failure) {
    versionsAtOpening.withLock { $0 = nil }
    try write { try $0.execute(sql: "UPDATE state SET parked = 0 WHERE parked <> 0") }
  }

  /// Has rows sent again that the receiver lacks or has in an older version, and the samples of their
  /// builds: a store may have lost its disk, or be another one.
  /// - Parameter rows: each with the version that the receiver has; 0: none.
  /// - Returns: how many rows.
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

  /// Takes a new secret and forgets all rows. This is for a ledger whose receiver has later rows: it is an
  /// older copy, or another host has a copy of it.
  /// - Returns: how many runs were counted that the receiver may lack; one counts once for each build.
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
  /// Opens the ledger, or makes it. A damaged one is put aside, and a new one begun: a reported gap is better
  /// than a daemon that never starts again.
  ///
  /// - Returns: the ledger, and where the damaged one is now; nil if none was.
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
      // As if it had opened, and the check had found that.
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
