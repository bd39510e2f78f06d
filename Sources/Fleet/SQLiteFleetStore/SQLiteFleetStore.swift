import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// A fleet's evidence in one SQLite file (WAL), without server or set-up.
package struct SQLiteFleetStore: FleetStore {
  package let name: String
  let path: String
  let pool: DatabasePool
  /// Nil if the store is read-only.
  private let files: DatabaseFiles?

  /// Opens or creates the file.
  /// - Parameter isReadOnly: whether never to write to the file, which must exist.
  /// - Throws: `.cannotCreate` if it cannot be created, `.noInput` if it does not exist, `.data` if
  ///   it is another kind of file or damaged.
  package init(path: String, isReadOnly: Bool = false) throws(Failure) {
    self.path = path
    name = "sqlite:\(path)"
    if isReadOnly, access(path, R_OK) != 0 {
      throw Failure(.noInput, "\(path): \(ErrorText.of(errno))")
    }
    do {
      if access(path, F_OK) == 0 { try Self.check(path, isReadOnly: isReadOnly) }
      var configuration = Self.configuration(isReadOnly: isReadOnly)
      if !isReadOnly {
        // For new files; an existing one gets it when it is vacuumed.
        configuration.prepareDatabase { database in
          // The pool's readers cannot write.
          if !database.configuration.readonly {
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
          }
        }
      }
      pool = try DatabasePool(path: path, configuration: configuration)
      // Acknowledged data must survive a power loss.
      if !isReadOnly { try pool.syncCommits() }
      files = isReadOnly ? nil : DatabaseFiles(of: path)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw SQLFailure.of(error, path: path, opening: true)
    }
  }

  private static func configuration(isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    // A higher class is a privilege, and Dispatch logs an error without it.
    configuration.qos = .default
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(10)
    // More than the daemon's concurrent queries, so that its own reads do not wait for them.
    configuration.maximumReaderCount = 8
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
    return configuration
  }

  /// Checks a file before it is opened for writing, which would turn any foreign database to a
  /// write-ahead log.
  private static func check(_ path: String, isReadOnly: Bool) throws {
    func look(readOnly: Bool) throws {
      let file = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: readOnly))
      try check(file, path, isReadOnly: isReadOnly)
    }
    do {
      try look(readOnly: true)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
      // The last writer was killed within a commit, which must be rolled back before any read.
      if isReadOnly {
        throw Failure(
          .unavailable, "\(path): a commit was interrupted",
          advice: "start firstlightd with this store, which undoes it")
      }
      try look(readOnly: false)
    }
  }

  /// Fails with `.data` if a file is neither a store of this version nor, for writing, an empty database.
  private static func check(_ file: DatabaseQueue, _ path: String, isReadOnly: Bool) throws {
    let isEmpty = try file.read { try FleetSchema.format.check($0, path) }
    guard !isEmpty || !isReadOnly else {
      throw Failure(
        .data, "\(path): not a store yet", advice: "start firstlightd with --store sqlite:\(path)")
    }
  }

  package func prepare() async throws {
    try await write { [path] database in
      if try FleetSchema.format.check(database, path) {
        try FleetSchema.format.create(in: database)
      }
    }
  }

  package func checkSpace() throws(Failure) {
    var system = statvfs()
    guard statvfs(path, &system) == 0 else { return }
    let blocks = geteuid() == 0 ? system.f_bfree : system.f_bavail
    guard blocks * system.f_frsize < Self.leastSpace else { return }
    throw Failure(
      .unavailable, "\(path): no space left for the store",
      advice: "free space, or set retain-bytes")
  }

  /// Bytes for the smallest commits.
  private static let leastSpace: UInt = 128 << 10

  package func size() async throws -> StoreSize {
    try await read { database in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      var size = StoreSize()
      size.builds = try count("build WHERE \(Self.isListed) AND \(Self.isTrue)")
      func sum(_ column: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT CAST(total(\(column)) AS INTEGER) FROM build") ?? 0
      }
      (size.coverage, size.rows) = (try sum("sum_called"), try sum("row_count"))
      size.sampledTraces = try count("sampled_trace")
      return size
    }
  }

  /// SQLite works on separate threads, so that none of the few threads of Swift tasks waits for a disk.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try files?.check()
    do { return try await pool.read(body) } catch { throw failure(error) }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await pool.write(body)) } catch { result = .failure(error) }
    // Checked before the caller learns of the commit and deletes its own copy.
    try files?.check()
    do { return try result.get() } catch { throw failure(error) }
  }

  private func failure(_ error: any Error) -> Failure {
    if let damage = error as? Damage { return .damagedStore(path, damage.what) }
    return (error as? Failure) ?? SQLFailure.of(error, path: path)
  }
}
