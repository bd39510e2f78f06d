import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport

/// Measures the store for retention.
extension SQLiteFleetStore {
  package func inventory(sizedAbove limit: Int?) async throws -> StoreInventory {
    try await read { database in
      let bytes = try Self.usedBytes(in: database)
      var sizes = try limit.map { bytes > $0 } ?? false ? Sizes(in: database) : Sizes()
      var builds: [BuildKey: StoreInventory.Build] = [:]
      var keys: [Int64: BuildKey] = [:]
      let known = try Row.fetchAll(
        database,
        sql: """
          SELECT id, build_id, recorder, program, registered FROM build
            LEFT JOIN function_table ON build = id
          """)
      for row in known {
        let id: Int64 = try row.value(0)
        let key = try row.build(1)
        keys[id] = key
        var build = try builds[key] ?? StoreInventory.Build(key: key, program: row.value(3))
        let registered = (try row.optionalValue(4) as Int32?).map(FleetDay.init(number:))
        build.registered = [build.registered, registered].compactMap { $0 }.max()
        build.functionBytes += sizes.functions[id] ?? 0
        builds[key] = build
      }
      let days = try Row.fetchCursor(
        database,
        sql: "SELECT build, day, max(received) FROM state GROUP BY day, build, \(Self.undatedPart)")
      while let row = try days.next() {
        let id: Int64 = try row.value(0)
        let day: Int32 = try row.value(1)
        guard let key = keys[id] else { continue }
        builds[key]?.days.append(
          StoreInventory.Day(
            day: FleetDay(number: day), received: FleetDay(number: try row.value(2)),
            bytes: sizes.days.removeValue(forKey: Sizes.Day(build: id, day: day)) ?? 0))
      }
      return StoreInventory(builds: Array(builds.values), bytes: bytes)
    }
  }

  /// Divides the rows of `FleetDay.undated` by their arrival. Such a day never ends, so its rows age one by one.
  static let undatedPart = "iif(day = \(FleetDay.undated.number), received, 0)"

  /// Estimates of sizes, from counts of rows.
  private struct Sizes {
    struct Day: Hashable {
      var build: Int64
      var day: Int32
    }

    /// By id of the row in `build`.
    var functions: [Int64: Int] = [:]
    var days: [Day: Int] = [:]

    init() {}

    init(in database: Database) throws {
      let sums = try Row.fetchCursor(
        database,
        sql: """
          SELECT build, day, sum(200 + length(times) + length(functions))
          FROM state JOIN called ON called.state = state.id GROUP BY build, day
          UNION ALL
          SELECT program, day, sum(length(trace)) FROM sampled_trace GROUP BY program, day
          """)
      while let row = try sums.next() {
        days[Day(build: try row.value(0), day: try row.value(1)), default: 0] +=
          try row.value(2) as Int
      }
      let tables = try Row.fetchCursor(
        database,
        sql: """
          SELECT build, length(functions) FROM function_table
          UNION ALL SELECT build, length(addresses) FROM caller
          """)
      while let row = try tables.next() {
        functions[try row.value(0), default: 0] += try row.value(1) as Int
      }
    }
  }

  private static func usedBytes(in database: Database) throws -> Int {
    try (pragma("page_count", in: database) - pragma("freelist_count", in: database))
      * pragma("page_size", in: database)
  }
}

/// Frees the space of removed rows.
extension SQLiteFleetStore {
  /// Number of removed builds that are remembered.
  private static let mostDropped = 10_000

  /// Forgets the oldest of the removed builds.
  func forgetRemovals() async throws {
    try await write { database in
      try database.execute(
        sql: """
          DELETE FROM dropped WHERE \(Self.isGone)
            AND at < (SELECT at FROM dropped ORDER BY at DESC LIMIT 1 OFFSET ?)
          """, arguments: [Self.mostDropped])
    }
  }

  /// Number of pages freed before other writers get a turn.
  private static let pagesAtATime = 2000

  /// Returns free pages to the file system.
  func giveSpaceBack() async throws {
    do {
      var left = try await withoutTransaction { try Self.pragma("freelist_count", in: $0) }
      while left > 0 {
        let before = left
        left = try await withoutTransaction { database in
          try database.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesAtATime))")
          return try Self.pragma("freelist_count", in: database)
        }
        if left >= before { break }
      }
      // Only this shrinks the file itself.
      try await withoutTransaction { _ = try $0.checkpoint(.truncate) }
    } catch let failure as Failure where failure.kind == .unavailable {
      // A reader holds the database, or there is no space for a copy: the pages are reused, and the
      // next deletion retries.
    }
  }

  private func withoutTransaction<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await pool.writeWithoutTransaction(body)
    } catch let error as DatabaseError {
      throw SQLFailure.of(error, path: path)
    }
  }

  static func pragma(_ name: String, in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0
  }
}
