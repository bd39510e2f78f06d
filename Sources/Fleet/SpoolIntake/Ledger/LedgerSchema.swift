import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport
import Synchronization

/// The tables of a ledger, and the migrations from earlier versions.
enum LedgerSchema {
  static func migrator(_ outbox: EarlierOutbox) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE done (stem TEXT PRIMARY KEY) WITHOUT ROWID;
          CREATE TABLE outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            made_at REAL NOT NULL,
            traces INTEGER NOT NULL,
            batch BLOB NOT NULL
          );
          CREATE TABLE run_count (
            run TEXT NOT NULL, build_id TEXT NOT NULL, recorder TEXT NOT NULL,
            guards BLOB NOT NULL,
            PRIMARY KEY (run, build_id, recorder)
          ) WITHOUT ROWID;
          CREATE TABLE family (
            process TEXT PRIMARY KEY, root TEXT NOT NULL, run TEXT NOT NULL, touched REAL NOT NULL
          ) WITHOUT ROWID;
          CREATE INDEX family_by_run ON family (run);
          CREATE TABLE host_count (
            labels TEXT NOT NULL, build_id TEXT NOT NULL, recorder TEXT NOT NULL,
            guards BLOB NOT NULL,
            PRIMARY KEY (labels, build_id, recorder)
          ) WITHOUT ROWID;
          CREATE TABLE sample_limit (
            build_id TEXT NOT NULL, recorder TEXT NOT NULL, family INTEGER NOT NULL,
            PRIMARY KEY (build_id, recorder)
          ) WITHOUT ROWID;
          """)
    }
    // See `GuardSetColumn`.
    migrator.registerMigration("sparse sets") { database in
      for table in ["run_count", "host_count"] {
        try database.execute(
          sql: "ALTER TABLE \(table) ADD COLUMN sparse INTEGER NOT NULL DEFAULT 0")
      }
    }
    // See `uptime(notedIn:)`.
    migrator.registerMigration("uptime") { database in
      try database.execute(
        sql: """
          CREATE TABLE uptime (seconds REAL NOT NULL);
          INSERT INTO uptime VALUES (0);
          ALTER TABLE outbox ADD COLUMN made_uptime REAL NOT NULL DEFAULT 0;
          UPDATE family SET touched = 0;
          """)
    }
    migrator.registerMigration("run spans") { database in
      try database.execute(
        sql: """
          CREATE TABLE run_span (
            run TEXT PRIMARY KEY, start REAL NOT NULL, "end" REAL NOT NULL
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("audit") { database in
      try database.execute(
        sql: """
          CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL);
          """)
    }
    migrator.registerMigration("states") { database in
      try database.execute(sql: states)
      try database.execute(
        sql: "INSERT INTO publisher VALUES (?)", arguments: [Data(LedgerSecret().bytes)])
      try outbox.count(in: database)
      try database.execute(sql: "DROP TABLE outbox")
    }
    return migrator
  }

  /// A row's numbers and bytes are separate: sending changes the numbers, counting the bytes.
  ///
  /// Ids are never reused, so that a late answer of a receiver cannot apply to another row. Times
  /// are seconds of uptime (`IntakeLedger.uptime`).
  private static let states = """
    CREATE TABLE publisher (secret BLOB NOT NULL);
    CREATE TABLE state (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      build_id TEXT NOT NULL, recorder TEXT NOT NULL, guards INTEGER NOT NULL,
      day INTEGER NOT NULL, labels TEXT NOT NULL,
      version INTEGER NOT NULL,
      -- The version that the receiver has for good; 0: none.
      acknowledged INTEGER NOT NULL DEFAULT 0,
      -- The last version with a function that was new on the host.
      urgent INTEGER NOT NULL,
      -- The version that the receiver refused to read.
      parked INTEGER NOT NULL DEFAULT 0,
      runs INTEGER NOT NULL,
      acknowledged_runs INTEGER NOT NULL DEFAULT 0,
      begun REAL NOT NULL,
      -- When it was last sent, and on which day by the clock; NULL: it is to be sent at once.
      sent REAL,
      sent_day INTEGER,
      -- When the oldest change came that the receiver lacks.
      changed REAL NOT NULL,
      UNIQUE (build_id, recorder, guards, day, labels)
    );
    CREATE INDEX state_waiting ON state (id) WHERE version > acknowledged AND version <> parked;
    CREATE TABLE state_data (
      id INTEGER PRIMARY KEY REFERENCES state (id) ON DELETE CASCADE, data BLOB NOT NULL
    );
    CREATE TABLE sample (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      build_id TEXT NOT NULL, recorder TEXT NOT NULL,
      family INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL,
      -- 1: the receiver has it; -1: it refused to read it.
      acknowledged INTEGER NOT NULL DEFAULT 0,
      data BLOB NOT NULL,
      UNIQUE (build_id, recorder, family, high, low)
    );
    CREATE INDEX sample_waiting ON sample (id) WHERE acknowledged = 0;
    """
}

/// Adds the batches of traces that waited in an earlier version's ledger to the sums.
///
/// A batch that the receiver stored but did not acknowledge counts twice, since it looks like the others.
package final class EarlierOutbox: Sendable {
  package typealias Inflate = @Sendable ([UInt8]) throws(Failure) -> [UInt8]

  /// The result of adding the batches.
  package struct Report: Hashable, Sendable {
    package var batches = 0
    package var traces = 0
    /// Batches that could not be read or counted.
    package var damagedBatches = 0
    package var lostTraces = 0

    package init() {}
  }

  private let inflate: Inflate
  private let state = Mutex(Report())

  init(_ inflate: @escaping Inflate) { self.inflate = inflate }

  /// Nil if there was no batch.
  var report: Report? { state.withLock { $0 == Report() ? nil : $0 } }

  func count(in database: Database) throws {
    var report = Report()
    let uptime = try Double.fetchOne(database, sql: "SELECT seconds FROM uptime") ?? 0
    let rows = StateRows(database, uptime: uptime)
    for id in try Int64.fetchAll(database, sql: "SELECT id FROM outbox ORDER BY id") {
      guard
        let row = try Row.fetchOne(
          database, sql: "SELECT traces, batch FROM outbox WHERE id = ?", arguments: [id])
      else { continue }
      let said: Int = try row.value(0)
      let batch: Data = try row.value(1)
      guard let traces = try? FleetBatch.countable(try inflate(Array(batch))) else {
        report.damagedBatches += 1
        report.lostTraces += said
        continue
      }
      report.batches += 1
      report.traces += traces.count
      report.lostTraces += try rows.count(traces).reduce(0) { $0 + $1.runs }
    }
    state.withLock { $0 = report }
  }
}
