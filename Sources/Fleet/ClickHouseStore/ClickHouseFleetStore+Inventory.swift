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
    for (place, day) in try await buildDays() {
      builds[place.build]?.days.append(
        StoreInventory.Day(
          day: place.day, received: day.received,
          bytes: isSized ? day.functions * Self.bytesOfSum : 0))
    }
    return StoreInventory(builds: Array(builds.values), bytes: bytes)
  }

  /// A day of a build: the unit of removal.
  struct BuildDay: Hashable {
    var build: BuildKey
    var day: FleetDay
  }

  /// For each day of each build, the last arrival and the number of functions in its rows.
  func buildDays() async throws(Failure) -> [BuildDay: (received: FleetDay, functions: Int)] {
    let rows = try await liveRows(
      """
      SELECT build_id, recorder, day, max(received), sum(functions)
      FROM \(Self.live(["functions"])) GROUP BY build_id, recorder, day
      """, allowingGaps: false
    ) { row throws(Failure) in
      (
        BuildDay(build: try row.build(), day: try row.day()),
        (received: try row.day(), functions: try row.number(UInt64.self))
      )
    }
    return Dictionary(rows) {
      (received: max($0.received, $1.received), functions: $0.functions + $1.functions)
    }
  }

  private func usedBytes() async throws(Failure) -> Int {
    try await rows(
      """
      SELECT sum(bytes_on_disk) FROM system.parts
      WHERE database = \(SQLText.quoted(address.database)) AND active
      """
    ) { row throws(Failure) in try row.number(UInt64.self) }.reduce(0, +)
  }

  package func size() async throws -> StoreSize {
    var size = StoreSize()
    size.builds = try await known().count
    size.rows = try await sum("count()")
    size.coverage = try await functions(where: "1")
    // A series may have rows on several shards.
    let series = try await liveRows(
      "SELECT DISTINCT cityHash64(\(SQLText.seriesKey)) FROM \(Self.live([]))"
    ) { row throws(Failure) in try row.integer(UInt64.self) }
    size.series = Set(series).count
    let keys = try await ofAll(allowingGaps: true) { server throws(Failure) in
      try await self.sampleKeys("1", server)
    }.flatMap { $0 }
    let limits = sampleLimits(of: keys)
    size.sampledTraces = keys.count { $0.family <= limits[$0.program] ?? .max }
    return size
  }

  /// Number of called functions in rows.
  func functions(where condition: String) async throws(Failure) -> Int {
    try await sum("sum(functions)", of: ["functions"], where: condition)
  }

  private func sum(
    _ sum: String, of columns: [String] = [], where condition: String = "1"
  ) async throws(Failure) -> Int {
    try await liveRows("SELECT \(sum) FROM \(Self.live(columns, where: condition))") {
      row throws(Failure) in try row.number(UInt64.self)
    }.reduce(0) { $0.addingClamped($1) }
  }
}
