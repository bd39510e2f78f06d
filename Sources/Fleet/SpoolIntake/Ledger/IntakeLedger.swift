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
  let queue: DatabaseQueue
  let life = LedgerLife()
  /// The batch that was sent last, if the receiver has not answered. It is sent again as it is: the receiver may
  /// have it.
  package let unanswered = Mutex<LedgerBatch?>(nil)
  private let files: DatabaseFiles
  /// Seconds of a clock that is never adjusted.
  private let clock: @Sendable () -> Double
  /// Difference between the uptime of daemons with this ledger and `clock`.
  private let uptimeOffset: Double

  /// Opens or creates the ledger.
  /// - Parameter clock: seconds of a clock that is never adjusted; for tests.
  /// - Throws: `.cannotCreate` or `.data`, naming the file; another version's ledger is `.data` too.
  package convenience init(
    path: String, clock: @escaping @Sendable () -> Double = IntakeLedger.monotonicTime
  ) throws(Failure) {
    do {
      try self.init(try Self.connect(path), at: path, clock: clock)
    } catch {
      throw (error as? Failure) ?? SQLFailure.of(error, path: path, opening: true)
    }
  }

  init(
    _ queue: DatabaseQueue, at path: String,
    clock: @escaping @Sendable () -> Double = monotonicTime
  ) throws {
    self.queue = queue
    self.path = path
    self.clock = clock
    files = DatabaseFiles(of: path)
    let seconds = try queue.read { database in
      try Double.fetchOne(database, sql: "SELECT seconds FROM uptime") ?? 0
    }
    uptimeOffset = seconds - clock()
  }

  static func connect(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    // A higher class is a privilege, and Dispatch logs an error without it.
    configuration.qos = .default
    configuration.journalMode = .wal
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // A process's files are removed once it is counted.
    try queue.syncCommits()
    try queue.write { database in
      if try LedgerSchema.format.check(database, path) {
        try LedgerSchema.format.create(in: database)
      }
    }
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
  static let monotonicTime: @Sendable () -> Double = {
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
    let parts = text.split(at: "\n", maxSplits: 1, omittingEmpty: false)
    guard parts.count == 2 else { return nil }
    return FleetLabels(version: String(parts[0]), text: String(parts[1]))
  }
}
