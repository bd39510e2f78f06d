import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport
import Synchronization

/// The part of a ledger's history that one opening of its file counts.
///
/// A daemon that opens a ledger begins a life with a secret of its own before it counts anything, so copies of the file
/// (images of machines, restored backups) never write rows of one name. Rows of earlier lives do not change any
/// more: all copies send the same ones.
///
/// A snapshot of a running machine copies the life as well. Its rows are marked (`RowVersion`): the receiver takes
/// them from one copy only, and the other copy begins a new life.
final class LedgerLife: Sendable {
  /// The id in the table `life`; nil until something is counted.
  private let id = Mutex<Int64?>(nil)

  /// The current life, if it has begun.
  var current: Int64? { id.withLock { $0 } }

  /// The current life, which begins now if it has not begun.
  func id(in database: Database) throws -> Int64 {
    try id.withLock { id in
      // A transaction that was rolled back has taken the life's beginning with it.
      if let id,
        try Bool.fetchOne(
          try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM life WHERE id = ?)"),
          arguments: [id]) == true
      {
        return id
      }
      try database.execute(
        sql: """
          DELETE FROM life
          WHERE id NOT IN (SELECT life FROM state UNION SELECT life FROM sample)
          """)
      try database.execute(
        sql: "INSERT INTO life (secret) VALUES (?)", arguments: [Data(LedgerSecret().bytes)])
      let new = database.lastInsertedRowID
      id = new
      return new
    }
  }

  /// Ends the current life; the next count begins another one.
  func end() { id.withLock { $0 = nil } }
}

extension IntakeLedger {
  /// Begins a new life, because another copy of the ledger is in the current one. Acknowledged counts stay in the
  /// old life; later counts move to the new one.
  /// - Returns: number of moved runs; a run counts once for each build.
  package func beginNewLife() throws(Failure) -> Int {
    try write { database in
      guard let old = life.current else { return 0 }
      life.end()
      let rows = StateRows(self, database, uptime: try uptime(notedIn: database))
      let changed = try Int64.fetchAll(
        database, sql: "SELECT id FROM state WHERE life = ? AND version > acknowledged ORDER BY id",
        arguments: [old])
      var moved = 0
      for id in changed {
        guard let since = try rows.unacknowledged(id) else { continue }
        try rows.putBack(id)
        _ = try rows.add(since)
        moved += since.totals.runs
      }
      return moved
    }
  }

  /// The secret of a life, which makes this ledger the only writer of its rows.
  func secret(of life: Int64, in database: Database) throws -> LedgerSecret {
    let bytes = try Data.fetchOne(
      try database.cachedStatement(sql: "SELECT secret FROM life WHERE id = ?"), arguments: [life])
    guard let secret = LedgerSecret(bytes ?? Data()) else {
      throw Failure(.data, "\(path): the ledger has no valid secret")
    }
    return secret
  }

  /// Forgets which functions the host has called if another host counted them: this ledger is part of an image.
  package func belongs(to host: String) throws(Failure) {
    try write { database in
      let known = try String.fetchOne(database, sql: "SELECT id FROM host")
      if known == host { return }
      try database.execute(sql: "DELETE FROM host; DELETE FROM host_count")
      try database.execute(sql: "INSERT INTO host VALUES (?)", arguments: [host])
    }
  }
}
