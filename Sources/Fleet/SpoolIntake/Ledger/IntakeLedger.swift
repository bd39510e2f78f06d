import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport
import Synchronization

/// The durable state of a host's daemon, which may be killed at any time (SQLite, WAL).
///
/// One transaction adds a finished process's evidence to the host's sums and records that its files
/// are no longer needed. So a process is counted once however often the daemon dies, and its files
/// are removed only afterwards.
///
/// The sums are rows (`SeriesState`) with versions. Only the latest version of each changed row
/// waits for a receiver: its size grows with builds and days, not with runs.
package final class IntakeLedger: Sendable {
  package let path: String
  /// The outbox of an earlier version, if opening the ledger added it to the sums; nil if there was none.
  package let earlierOutbox: EarlierOutbox.Report?
  let queue: DatabaseQueue
  private let files: DatabaseFiles
  /// Seconds of a clock that is never adjusted.
  private let clock: @Sendable () -> Double
  /// Difference between the uptime of daemons with this ledger and `clock`.
  private let uptimeOffset: Double
  /// Versions of rows at opening; nil after the comparison with the receiver's.
  let versionsAtOpening: Mutex<[Int64: UInt64]?>

  /// Opens or creates the ledger.
  /// - Parameters:
  ///   - inflate: inflates batches that an earlier version left in the ledger, perhaps deflated.
  ///   - clock: seconds of a clock that is never adjusted; for tests.
  /// - Throws: `.cannotCreate` or `.data`, naming the file; a newer version's ledger is `.data` too.
  package convenience init(
    path: String, inflate: @escaping EarlierOutbox.Inflate = { $0 },
    clock: @escaping @Sendable () -> Double = IntakeLedger.monotonicTime
  ) throws(Failure) {
    do {
      let outbox = EarlierOutbox(inflate)
      let queue = try Self.connect(path, outbox)
      try self.init(queue, at: path, earlier: outbox.report, clock: clock)
    } catch {
      throw (error as? Failure) ?? SQLFailure.of(error, path: path, opening: true)
    }
  }

  init(
    _ queue: DatabaseQueue, at path: String, earlier: EarlierOutbox.Report?,
    clock: @escaping @Sendable () -> Double = monotonicTime
  ) throws {
    self.queue = queue
    earlierOutbox = earlier
    self.path = path
    self.clock = clock
    files = DatabaseFiles(of: path)
    let (seconds, versions) = try queue.read { database in
      (
        try Double.fetchOne(database, sql: "SELECT seconds FROM uptime") ?? 0,
        try Self.versions(database)
      )
    }
    uptimeOffset = seconds - clock()
    versionsAtOpening = Mutex(versions)
  }

  static func connect(_ path: String, _ outbox: EarlierOutbox) throws -> DatabaseQueue {
    var configuration = Configuration()
    // A higher class is a privilege, and Dispatch logs an error without it.
    configuration.qos = .default
    configuration.journalMode = .wal
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // A process's files are removed once it is counted.
    try queue.syncCommits()
    let migrator = LedgerSchema.migrator(outbox)
    guard try !queue.read(migrator.hasBeenSuperseded) else {
      throw SQLFailure.newer(path, "ledger")
    }
    try migrator.migrate(queue)
    return queue
  }

  /// - Throws: `.unavailable` if its files, or the spool around them, were removed or replaced.
  package func check() throws(Failure) { try files.check() }

  func read<Value>(_ body: (Database) throws -> Value) throws(Failure) -> Value {
    try check()
    do { return try queue.read(body) } catch { throw failure(error) }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(Failure) -> Value {
    let result = Result { try queue.write(body) }
    // Checked before the counted processes' files are removed.
    try check()
    do { return try result.get() } catch { throw failure(error) }
  }

  private func failure(_ error: any Error) -> Failure {
    (error as? Failure) ?? SQLFailure.of(error, path: path)
  }

  /// Total uptime of daemons with this ledger, seconds. The ages of its contents use it, since wall
  /// clocks jump. Recorded in the transaction that writes such an age, so that it never decreases.
  func uptime(notedIn database: Database) throws -> Double {
    let now = uptime()
    try database.execute(cachedSQL: "UPDATE uptime SET seconds = ?", arguments: [now])
    return now
  }

  func uptime() -> Double { clock() + uptimeOffset }

  /// CLOCK_MONOTONIC, seconds.
  package static let monotonicTime: @Sendable () -> Double = {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func key(_ buildID: String, _ recorder: String) -> BuildKey? {
    guard let id = BuildID(buildID), let recorder = Recorder(rawValue: recorder) else { return nil }
    return BuildKey(buildID: id, recorder: recorder)
  }

  /// Labels in the form of a column.
  static func text(_ labels: FleetLabels) -> String { labels.version + "\n" + labels.text }

  static func labels(_ text: String) -> FleetLabels? {
    let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    return FleetLabels(version: String(parts[0]), text: String(parts[1]))
  }
}

extension IntakeLedger {
  /// Adds traces that an earlier version had put aside, at an administrator's request, which is recorded.
  /// - Parameters:
  ///   - name: the traces' source; a name that was added before is not added again.
  ///   - note: the record, which begins with the name.
  /// - Returns: the sums that could not be counted; nil if all was added before.
  package func add(
    _ traces: [FleetTrace], named name: String, note: String
  ) throws(Failure) -> [LostSums]? {
    try write { database in
      let isThere = try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM audit WHERE instr(what, ?) = 1)",
        arguments: [name])
      if isThere == true { return nil }
      try Self.add(note, to: database)
      return try StateRows(database, uptime: uptime(notedIn: database)).count(traces)
    }
  }

  /// Records an administrator's action.
  package func note(_ what: String) throws(Failure) {
    try write { try Self.add(what, to: $0) }
  }

  private static func add(_ note: String, to database: Database) throws {
    try database.execute(
      cachedSQL: "INSERT INTO audit (at, what) VALUES (strftime('%s', 'now'), ?)",
      arguments: [note])
  }
}
