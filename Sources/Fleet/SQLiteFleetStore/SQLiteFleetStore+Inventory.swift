import FirstlightModel
import FleetModel
import GRDB

/// What retention looks at.
extension SQLiteFleetStore {
  package func inventory(sizedAbove limit: Int?) async throws -> StoreInventory {
    try await read { database in
      let bytes = try Self.usedBytes(in: database)
      let sizes = try limit.map { bytes > $0 } ?? false ? Sizes(in: database) : Sizes()
      var builds: [BuildKey: StoreInventory.Build] = [:]
      var keys: [Int64: BuildKey] = [:]
      let known = try Row.fetchAll(
        database, sql: "SELECT id, build_id, recorder, program, registered FROM build")
      for row in known {
        let id: Int64 = try row.value(0)
        guard let buildID = BuildID(try row.value(1)),
          let recorder = Recorder(rawValue: try row.value(2))
        else { throw Failure.damagedStore(path, "build \(id)") }
        let key = BuildKey(buildID: buildID, recorder: recorder)
        keys[id] = key
        var build = try builds[key] ?? StoreInventory.Build(key: key, program: row.value(3))
        let registered = (try row.optionalValue(4) as Int32?).map(FleetDay.init(number:))
        build.registered = [build.registered, registered].compactMap { $0 }.max()
        build.functionBytes += sizes.functions[id] ?? 0
        builds[key] = build
      }
      let days = try Row.fetchCursor(
        database, sql: "SELECT build, day, max(received) FROM state GROUP BY day, build")
      while let row = try days.next() {
        let id: Int64 = try row.value(0)
        let day: Int32 = try row.value(1)
        guard let key = keys[id] else { continue }
        builds[key]?.days.append(
          StoreInventory.Day(
            day: FleetDay(number: day), received: FleetDay(number: try row.value(2)),
            bytes: sizes.days[Sizes.Day(build: id, day: day)] ?? 0))
      }
      return StoreInventory(builds: Array(builds.values), bytes: bytes)
    }
  }

  /// Estimates of what rows take up, by counting them.
  private struct Sizes {
    struct Day: Hashable {
      var build: Int64
      var day: Int32
    }

    /// By row of `build`.
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
      for table in ["function", "unguarded", "inlined", "body", "alias", "caller"] {
        let rows = try Row.fetchCursor(
          database, sql: "SELECT build, 100 * count(*) FROM \(table) GROUP BY build")
        while let row = try rows.next() {
          functions[try row.value(0), default: 0] += try row.value(1) as Int
        }
      }
    }
  }

  private static func usedBytes(in database: Database) throws -> Int {
    try (pragma("page_count", in: database) - pragma("freelist_count", in: database))
      * pragma("page_size", in: database)
  }
}
