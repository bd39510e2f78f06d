import FirstlightModel
import FleetModel

/// A shard's data of one series: the sum of all its publishers, or that of the closed day.
struct StoredSeries: Sendable {
  var key: StateKey
  var received: FleetDay
  var isExecutable: Bool
  var totals: SeriesTotals
}

extension ClickHouseFleetStore {
  /// The series of each shard that match a condition on the key.
  func series(
    _ condition: String, allowingGaps gaps: Bool = true
  ) async throws(Failure) -> [StoredSeries] {
    let columns = ["executable"] + ClickHouseSchema.totals
    let sums = ClickHouseSchema.totals.map { "sum(\($0))" }.joined(separator: ", ")
    return try await liveRows(
      """
      SELECT \(SQLText.stateKey), max(received), max(executable),
        \(sums)
      FROM \(Self.live(columns, where: condition)) GROUP BY \(SQLText.stateKey)
      """, allowingGaps: gaps
    ) { row throws(Failure) in
      StoredSeries(
        key: try row.stateKey(), received: try row.day(), isExecutable: try row.bool(),
        totals: try row.totals())
    }
  }

  package func series(
    of build: BuildKey, in wanted: FleetQuery
  ) async throws -> [SeriesRecord] {
    guard let claim = try await truth(of: build) else { return [] }
    let condition = SQLText.isOf([claim]) + SQLText.isIn(wanted)
    var records: [StateKey: SeriesRecord] = [:]
    for series in try await series(condition) {
      let empty = SeriesRecord(
        day: series.key.day, labels: series.key.labels, totals: SeriesTotals())
      let totals = records[series.key]?.totals ?? SeriesTotals()
      records[series.key, default: empty].totals = totals + series.totals
    }
    for start in try await starts(condition) {
      let histogram = StartupHistogram(counts: [start.bucket: start.count])
      if start.stage.isEmpty {
        records[start.key]?.startups.add(histogram)
      } else if let kind = LaunchStage.Kind(rawValue: start.stage) {
        records[start.key]?.stages.add(StageHistograms(histograms: [kind: histogram]))
      }
    }
    return records.values.sorted {
      ($0.day.number, $0.labels.version, $0.labels.text)
        < ($1.day.number, $1.labels.version, $1.labels.text)
    }
  }

  private struct Starts: Sendable {
    var key: StateKey
    var stage: String
    var bucket: Int32
    var count: Int
  }

  private func starts(_ condition: String) async throws(Failure) -> [Starts] {
    let arrays = ["start.stage", "start.bucket", "start.starts"]
    return try await liveRows(
      """
      SELECT \(SQLText.stateKey), start.stage, start.bucket, sum(start.starts)
      FROM \(Self.live(arrays, where: condition)) ARRAY JOIN start
      GROUP BY \(SQLText.stateKey), start.stage, start.bucket
      """
    ) { row throws(Failure) in
      Starts(
        key: try row.stateKey(), stage: try row.text(), bucket: try row.integer(),
        count: try row.number(UInt64.self))
    }
  }
}

extension RowReader {
  /// The columns of `ClickHouseSchema.totals`.
  mutating func totals() throws(Failure) -> SeriesTotals {
    var totals = SeriesTotals()
    totals.runs = try number(UInt64.self)
    totals.hosts = try number(UInt64.self)
    totals.programRuns = try number(UInt64.self)
    totals.processes = try number(UInt64.self)
    totals.seconds = try double() / 1e6
    totals.drops = try number(UInt64.self)
    totals.uncommitted = try number(UInt64.self)
    totals.lostImages = try number(UInt64.self)
    totals.unreadableSegments = try number(UInt64.self)
    return totals
  }
}

/// Reads which functions of a build ran, how often and on how many hosts.
extension ClickHouseFleetStore {
  package func coverage(
    of build: BuildKey, in wanted: FleetQuery
  ) async throws -> BuildCoverage? {
    guard let claim = try await truth(of: build) else { return nil }
    let condition = SQLText.isOf([claim]) + SQLText.isIn(wanted)
    async let series = series(condition)
    async let callers = rows(
      "SELECT guard, min(address) FROM callers WHERE \(SQLText.isOf([claim])) GROUP BY guard",
      allowingGaps: true
    ) { row throws(Failure) in (try row.integer(UInt32.self), try row.integer(UInt64.self)) }
    let shards = try await ofAll(allowingGaps: true) { server throws(Failure) in
      (
        called: try await self.functions(claim, condition, server),
        unwatched: try await self.unwatched(condition, server)
      )
    }
    var sums = GuardSums(guardCount: claim.guards)
    for shard in shards { sums.add(shard.called) }
    return BuildCoverage(
      totals: try await series.reduce(SeriesTotals()) { $0 + $1.totals }, guards: sums,
      callers: Dictionary(try await callers) { min($0, $1) },
      unwatched: UnwatchedCounts(shards.map(\.unwatched)).everywhere)
  }

  /// Small blocks: a row is an array for each of about 8,000 functions, and 18.16 is three times as
  /// fast if the rows stay in the CPU's cache.
  static let fewRows = "SETTINGS max_block_size = 16"

  /// The index of a function that no build has. Each row gets it, so that its count is the number of rows.
  static let everyRow = "toUInt32(4294967295)"

  /// The number of rows in which each function is unwatched, and with nil the number of all rows.
  private func unwatched(
    _ condition: String, _ server: ClickHouseServer
  ) async throws(Failure) -> [(guard: UInt32?, rows: Int)] {
    try await readLive(
      """
      SELECT index, count() FROM (
        SELECT arrayJoin(arrayPushBack(unwatched, \(Self.everyRow))) AS index
        FROM \(Self.live(["unwatched"], where: condition))
      ) GROUP BY index \(Self.fewRows)
      """, on: server
    ) { row throws(Failure) in
      let index = try row.integer(UInt32.self)
      return (index == .max ? nil : index, try row.number(UInt64.self))
    }
  }

  private func functions(
    _ claim: Claim, _ condition: String, _ server: ClickHouseServer
  ) async throws(Failure) -> GuardSums {
    let arrays = ["guard", "runs", "hosts", "first", "last"].map { "called.\($0)" }
    let rows = try await readLive(
      """
      SELECT called.guard AS index, sum(called.runs), sum(called.hosts),
        min(toUInt32(day) * 24 + called.first), max(toUInt32(day) * 24 + called.last)
      FROM \(Self.live(arrays, where: condition)) ARRAY JOIN called GROUP BY index ORDER BY index
      \(Self.fewRows)
      """, on: server
    ) { row throws(Failure) in
      (
        try row.integer(UInt32.self),
        GuardSum(
          runs: try row.number(UInt64.self), hosts: try row.number(UInt64.self),
          firstSeen: Double(try row.integer(UInt64.self)) * 3600,
          lastSeen: Double(try row.integer(UInt64.self)) * 3600)
      )
    }
    return GuardSums(
      guardCount: claim.guards, guards: rows.map(\.0), sums: rows.map(\.1))
  }
}

/// The number of rows, of all shards, in which each function is unwatched.
private struct UnwatchedCounts {
  private var rows = 0
  private var counts: [UInt32: Int] = [:]

  init(_ shards: [[(guard: UInt32?, rows: Int)]]) {
    for (index, count) in shards.joined() {
      if let index { counts[index, default: 0] += count } else { rows += count }
    }
  }

  /// The functions that are unwatched in every row.
  var everywhere: GuardSet { GuardSet(counts.filter { $0.value == rows }.keys.sorted()) }
}
