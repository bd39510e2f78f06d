import FirstlightModel
import FleetModel
import Foundation
import GRDB

/// What a host's daemon remembers between two moments at which it could be killed (SQLite, WAL).
///
/// One transaction takes a finished process's evidence out of the spool's hands: it counts it, puts
/// the trace into the outbox and notes that the files are done with. So a process is counted once
/// however often the daemon dies, and its files are removed only after that.
public final class IntakeLedger: Sendable {
  public let path: String
  let queue: DatabaseQueue

  /// Opens the ledger, or makes it.
  /// - Throws: `.cannotCreate` or `.data`, naming the file.
  public init(path: String) throws(Failure) {
    self.path = path
    do {
      var configuration = Configuration()
      // More is not for everybody, and Dispatch complains in the log of those who may not.
      configuration.qos = .default
      configuration.journalMode = .wal
      configuration.prepareDatabase {
        try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
      }
      queue = try DatabaseQueue(path: path, configuration: configuration)
      try Self.migrator.migrate(queue)
    } catch {
      throw SQLFailure.of(error, path: path, opening: true)
    }
  }

  private static var migrator: DatabaseMigrator {
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
    return migrator
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(Failure) -> Value {
    do { return try queue.read(body) } catch { throw failure(error) }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(Failure) -> Value {
    do { return try queue.write(body) } catch { throw failure(error) }
  }

  private func failure(_ error: any Error) -> Failure {
    (error as? Failure) ?? SQLFailure.of(error, path: path)
  }

  static func key(_ buildID: String, _ recorder: String) -> BuildKey? {
    guard let id = BuildID(buildID), let recorder = Recorder(rawValue: recorder) else { return nil }
    return BuildKey(buildID: id, recorder: recorder)
  }

  static func data(_ set: GuardSet) -> Data {
    set.words.map(\.littleEndian).withUnsafeBytes { Data($0) }
  }

  static func set(_ data: Data) -> GuardSet {
    GuardSet(
      words: data.withUnsafeBytes { bytes in
        (0..<bytes.count / 8).map {
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
        }
      })
  }
}
