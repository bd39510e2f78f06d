import FirstlightModel
import FleetModel

/// The data of one series: the sum of all its publishers, or that of the closed day.
struct StoredSeries: Sendable {
  var key: StateKey
  var received: FleetDay
  var isExecutable: Bool
  var totals: SeriesTotals
}

extension ClickHouseFleetStore {
  /// The series that match a condition on the key.
  func series(
    _ condition: String, allowingGaps gaps: Bool = true
  ) async throws(Failure) -> [StoredSeries] {
    return try await liveRows(
      "\(SQLText.stateKey), max(received), max(executable), \(Self.sums)", where: condition,
      by: SQLText.stateKey, allowingGaps: gaps
    ) { row throws(Failure) in
      StoredSeries(
        key: try row.stateKey(), received: try row.day(), isExecutable: try row.bool(),
        totals: try row.totals())
    }
  }

  /// The columns of `SeriesTotals`, added up.
  static let sums =
    (SeriesTotals.counts.map { SQLText.sum($0.column) } + ["sum(microseconds)"])
    .joined(separator: ", ")

  package func series(
    of build: BuildKey, in wanted: FleetQuery
  ) async throws -> [SeriesRecord] {
    guard let claim = try await truth(of: build) else { return [] }
    let condition = SQLText.isOf([claim]) + SQLText.isIn(wanted)
    var records: [StateKey: SeriesRecord] = [:]
    for series in try await series(condition) {
      records[series.key] = SeriesRecord(
        day: series.key.day, labels: series.key.labels, totals: series.totals)
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
      ($0.day.number, TextBytes($0.labels.version), TextBytes($0.labels.text))
        < ($1.day.number, TextBytes($1.labels.version), TextBytes($1.labels.text))
    }
  }

  private struct Starts: Sendable {
    var key: StateKey
    var stage: String
    var bucket: Int32
    var count: Int
  }

  private func starts(_ condition: String) async throws(Failure) -> [Starts] {
    let key = "\(SQLText.stateKey), start.stage, start.bucket"
    return try await liveRows(
      "\(key), \(SQLText.sum("start.starts"))", of: "start", where: condition, by: key
    ) { row throws(Failure) in
      Starts(
        key: try row.stateKey(), stage: try row.text(), bucket: try row.integer(),
        count: try row.number(UInt64.self))
    }
  }
}

/// Reads which functions of a build ran, how often and on how many hosts.
extension ClickHouseFleetStore {
  package func coverage(
    of build: BuildKey, in wanted: FleetQuery
  ) async throws -> BuildCoverage? {
    guard let claim = try await truth(of: build) else { return nil }
    let condition = SQLText.isOf([claim]) + SQLText.isIn(wanted)
    let totals = try await series(condition).reduce(SeriesTotals()) { $0 + $1.totals }
    let calls = try await called(condition)
    var sums: [UInt32: GuardSum] = [:]
    for call in calls { sums[call.index, default: GuardSum()].add(call.sum) }
    // Callers are those of all rows.
    let all = SQLText.isIn(wanted).isEmpty ? calls : try await called(SQLText.isOf([claim]))
    let callers = all.filter { $0.caller != 0 }.map { ($0.index, $0.caller) }
    return BuildCoverage(
      totals: totals, guards: GuardSums(guardCount: claim.guards, sums),
      callers: Dictionary(callers) { min($0, $1) },
      unseen: try await unseen(condition))
  }

  /// The least caller of a function; 0 if there is none.
  static let leastCaller = "minIf(called.caller, called.caller != 0)"

  private func called(
    _ condition: String
  ) async throws(Failure) -> [(index: UInt32, sum: GuardSum, caller: UInt64)] {
    try await liveRows(
      """
      called.guard, \(SQLText.sum("called.runs")), \(SQLText.sum("called.hosts")),
        min(toUInt32(day) * 24 + called.first), max(toUInt32(day) * 24 + called.last),
        \(Self.leastCaller)
      """, of: "called", where: condition, by: "called.guard"
    ) { row throws(Failure) in
      (
        try row.integer(),
        GuardSum(
          runs: try row.number(UInt64.self), hosts: try row.number(UInt64.self),
          firstSeen: Double(try row.integer(UInt64.self)) * 3600,
          lastSeen: Double(try row.integer(UInt64.self)) * 3600),
        try row.integer()
      )
    }
  }

  /// A bound beyond all functions, where each row begins a range: its depth is the number of rows.
  static let everyRow = "toUInt32(4294967295)"
  /// The bounds of all rows' unseen functions, each with its place, from 1.
  static let bounds =
    "arrayPushBack(unseen, \(everyRow)) AS f, arrayEnumerate(arrayPushBack(unseen, \(everyRow))) AS i"
  /// The number of rows that begin a range at `f`, less those that end one.
  static let step = "sum(toInt64(i % 2) * 2 - 1)"

  /// The functions that are unseen in every row.
  private func unseen(_ condition: String) async throws(Failure) -> UnseenFunctions {
    let steps = try await liveRows("f, \(Self.step)", of: Self.bounds, where: condition, by: "f") {
      row throws(Failure) in (try row.integer(UInt32.self), try row.integer(Int64.self))
    }
    var rows = Dictionary(steps, uniquingKeysWith: +)
    let all = rows.removeValue(forKey: .max)
    var (depth, bounds): (Int64, [UInt32]) = (0, [])
    for (bound, step) in rows.sorted(by: { $0.key < $1.key }) where step != 0 {
      if depth == all || depth + step == all { bounds.append(bound) }
      depth += step
    }
    return UnseenFunctions(bounds: bounds)
  }
}
