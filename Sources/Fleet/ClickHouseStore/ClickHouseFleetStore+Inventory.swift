import FirstlightModel
import FleetModel

/// Measures the store's contents.
extension ClickHouseFleetStore {
  /// Approximate size on disk of one function of a row: see Documentation/ClickHouse.md.
  private static let bytesOfSum = 4

  package func inventory(sizedAbove limit: Int?) async throws -> StoreInventory {
    var builds: [BuildKey: StoreInventory.Build] = [:]
    for (key, known) in try await known() {
      builds[key] = StoreInventory.Build(key: key, program: known.program)
    }
    let bytes = try await usedBytes()
    let isSized = limit.map { bytes > $0 } ?? false
    for table in try await storedTables("1") {
      let key = table.claim.build
      let day = FleetDay(of: Double(table.at))
      let last = builds[key]?.registered ?? day
      builds[key]?.registered = max(day, last)
      if isSized { builds[key]?.functionBytes += table.bytes }
    }
    for (place, received, functions) in try await buildDays() {
      builds[place.build]?.days.append(
        StoreInventory.Day(
          day: place.day, received: received,
          bytes: isSized ? functions * Self.bytesOfSum : 0))
    }
    return StoreInventory(builds: Array(builds.values), bytes: bytes)
  }

  /// A day of a build: the unit of removal.
  struct BuildDay: Hashable {
    var build: BuildKey
    var day: FleetDay
  }

  /// For each day of each build, the last arrival and the number of functions in its rows. `FleetDay.undated` comes
  /// once for each arrival: such a day never ends, so its rows age one by one.
  func buildDays() async throws(Failure) -> [(
    place: BuildDay, received: FleetDay, functions: Int
  )] {
    let undated = SQLText.day(.undated)
    return try await liveRows(
      "build_id, recorder, day, max(received), sum(functions)",
      by: "build_id, recorder, day, if(day = \(undated), received, toDate(\(undated)))",
      allowingGaps: false
    ) { row throws(Failure) in
      (
        place: BuildDay(build: try row.build(), day: try row.day()), received: try row.day(),
        functions: try row.number(UInt64.self)
      )
    }
  }

  private func usedBytes() async throws(Failure) -> Int {
    // One replica of each shard.
    let parts = address.cluster.map { "cluster(\($0), system, parts)" } ?? "system.parts"
    return try await rows(
      """
      SELECT sum(bytes_on_disk) FROM \(parts)
      WHERE database = \(SQLText.quoted(address.database)) AND active
      """
    ) { row throws(Failure) in try row.number(UInt64.self) }.reduce(0, +)
  }

  package func size() async throws -> StoreSize {
    var size = StoreSize()
    size.builds = try await known().keys.count { $0.recorder != .counters }
    let sums = try await liveRows("count(), sum(functions)") { row throws(Failure) in
      (try row.number(UInt64.self), try row.number(UInt64.self))
    }
    for (rows, functions) in sums {
      size.rows += rows
      size.coverage += functions
    }
    let keys = try await on { server throws(Failure) in try await sampleKeys("1", server) }
    size.sampledTraces = sampled(keys).count
    return size
  }

  /// Number of called functions in rows.
  func functions(where condition: String) async throws(Failure) -> Int {
    try await liveRows("sum(functions)", where: condition) { row throws(Failure) in
      try row.number(UInt64.self)
    }.reduce(0) { $0.addingClamped($1) }
  }
}
