import ByteCoding
import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
import SQLiteSupport
import Synchronization

/// What a host's daemon remembers between two moments at which it could be killed (SQLite, WAL).
///
/// One transaction takes a finished process's evidence out of the spool's hands: it counts it, puts
/// the trace into the outbox and notes that the files are done with. So a process is counted once
/// however often the daemon dies, and its files are removed only after that.
package final class IntakeLedger: Sendable {
  package let path: String
  let queue: DatabaseQueue
  private let files: DatabaseFiles
  /// CLOCK_BOOTTIME up to which `uptime` counts, seconds.
  private let countedUntil: Mutex<Double>

  /// Opens the ledger, or makes it.
  /// - Throws: `.cannotCreate` or `.data`, naming the file; a newer version's is `.data` too.
  package convenience init(path: String) throws(Failure) {
    do { self.init(try Self.connect(path), at: path) } catch {
      throw (error as? Failure) ?? SQLFailure.of(error, path: path, opening: true)
    }
  }

  init(_ queue: DatabaseQueue, at path: String) {
    self.queue = queue
    self.path = path
    files = DatabaseFiles(of: path)
    countedUntil = Mutex(Self.bootTime)
  }

  static func connect(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    // More is not for everybody, and Dispatch complains in the log of those who may not.
    configuration.qos = .default
    configuration.journalMode = .wal
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // A process's files go once it is counted.
    try queue.syncCommits()
    guard try !queue.read(migrator.hasBeenSuperseded) else {
      throw SQLFailure.newer(path, "ledger")
    }
    try migrator.migrate(queue)
    return queue
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
    // Sets of which a bit each would be mostly zeros: guards as rising numbers, each as LEB128 of the
    // difference to the one before.
    migrator.registerMigration("sparse sets") { database in
      for table in ["run_count", "host_count"] {
        try database.execute(
          sql: "ALTER TABLE \(table) ADD COLUMN sparse INTEGER NOT NULL DEFAULT 0")
      }
    }
    // How long the daemon has run, seconds: what waits grows old by that, and not by a clock that may jump.
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
    return migrator
  }

  /// - Throws: `.unavailable` if its files, or the spool that holds them, were removed or replaced.
  package func check() throws(Failure) { try files.check() }

  func read<Value>(_ body: (Database) throws -> Value) throws(Failure) -> Value {
    try check()
    do { return try queue.read(body) } catch { throw failure(error) }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(Failure) -> Value {
    let result = Result { try queue.write(body) }
    // Before the files of what it counted are removed.
    try check()
    do { return try result.get() } catch { throw failure(error) }
  }

  private func failure(_ error: any Error) -> Failure {
    (error as? Failure) ?? SQLFailure.of(error, path: path)
  }

  /// Counts the time since it was last counted, every ten minutes.
  func countUptime() throws(Failure) {
    let now = Self.bootTime
    let elapsed = countedUntil.withLock { now - $0 }
    guard elapsed >= 600 else { return }
    try write {
      try $0.execute(sql: "UPDATE uptime SET seconds = seconds + ?", arguments: [elapsed])
    }
    countedUntil.withLock { $0 = now }
  }

  private static var bootTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func key(_ buildID: String, _ recorder: String) -> BuildKey? {
    guard let id = BuildID(buildID), let recorder = Recorder(rawValue: recorder) else { return nil }
    return BuildKey(buildID: id, recorder: recorder)
  }

  /// A set as bytes, and whether those are of the sparse form.
  static func data(_ set: GuardSet) -> (bytes: Data, isSparse: Bool) {
    switch GuardSelection(set) {
    case .bits(let set): return (set.words.map(\.littleEndian).withUnsafeBytes { Data($0) }, false)
    case .list(let guards):
      var bytes: [UInt8] = []
      var last: UInt32 = 0
      for index in guards {
        LEB128.append(UInt64(index - last), to: &bytes)
        last = index
      }
      return (Data(bytes), true)
    }
  }

  static func set(_ data: Data, isSparse: Bool) -> GuardSet {
    if isSparse {
      return data.withUnsafeBytes { bytes in
        var (at, last) = (0, UInt64(0))
        var guards: [UInt32] = []
        while let step = LEB128.next(bytes, &at), let index = UInt32(exactly: last &+ step) {
          guards.append(index)
          last = UInt64(index)
        }
        return GuardSet(guards)
      }
    }
    return GuardSet(
      words: data.withUnsafeBytes { bytes in
        (0..<bytes.count / 8).map {
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
        }
      })
  }
}
