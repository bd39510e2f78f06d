import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// Converts the sums of an earlier store, which added up traces on arrival, to rows of
/// `PublisherID.earlierStore`.
struct EarlierSums {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Rewrites the rows and sampled traces, and removes the old tables.
  func move() throws {
    let builds = try Row.fetchAll(database, sql: "SELECT id, build_id, recorder, guards FROM build")
    for row in builds {
      let id: Int64 = try row.value(0)
      guard let buildID = BuildID(try row.value(1)),
        let recorder = Recorder(rawValue: try row.value(2))
      else { throw Damage("build \(id)") }
      let key = BuildKey(buildID: buildID, recorder: recorder)
      try moveSeries(of: BuildRow(id: id, key: key, guardCount: try row.value(3)))
    }
    try moveSamples()
    for table in ["coverage", "startup", "stage", "series", "known_trace"] {
      try database.execute(sql: "DROP TABLE \(table)")
    }
  }

  private func moveSeries(of build: BuildRow) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, day, version, labels, received, runs, hosts, program_runs, processes, seconds,
          drops, uncommitted, lost_images, unreadable_segments
        FROM series WHERE build = ?
        """, arguments: [build.id])
    while let row = try rows.next() {
      let id: Int64 = try row.value(0)
      guard let labels = FleetLabels(version: try row.value(2), text: try row.value(3)) else {
        throw Damage("labels of series \(id)")
      }
      let series = SeriesKey(
        build: build.key, day: FleetDay(number: try row.value(1)), labels: labels)
      var state = SeriesState(
        key: StateKey(series: series, guardCount: build.guardCount), version: 1, name: "",
        isExecutable: false, totals: try SeriesTotals(row, from: 5))
      state.sums = try functions(of: id, build)
      state.startups = try startups(of: id)
      state.stages = try stages(of: id)
      try StateRow.write(
        state, of: .earlierStore, build: build.id, on: FleetDay(number: try row.value(4)),
        in: database)
    }
  }

  private func functions(of series: Int64, _ build: BuildRow) throws -> GuardSums {
    var rows = try RowReading(
      sql: "SELECT guard, runs, hosts, first_seen, last_seen FROM coverage WHERE series = ?",
      build: Int(series), in: database)
    var sums: [UInt32: GuardSum] = [:]
    while try rows.next() {
      let guardIndex = try rows.number(0)
      guard 0..<build.guardCount ~= guardIndex else {
        throw Damage("guard \(guardIndex) of build \(build.id)")
      }
      sums[UInt32(guardIndex)] = try GuardSum(
        runs: rows.number(1), hosts: rows.number(2), firstSeen: rows.real(3),
        lastSeen: rows.real(4))
    }
    return GuardSums(guardCount: build.guardCount, sums)
  }

  private func startups(of series: Int64) throws -> StartupHistogram {
    var startups = StartupHistogram()
    let rows = try Row.fetchAll(
      database, sql: "SELECT bucket, starts FROM startup WHERE series = ?", arguments: [series])
    for row in rows { startups.counts[try row.value(0)] = try row.value(1) as Int }
    return startups
  }

  private func stages(of series: Int64) throws -> StageHistograms {
    var stages = StageHistograms()
    let rows = try Row.fetchAll(
      database, sql: "SELECT kind, bucket, starts FROM stage WHERE series = ?",
      arguments: [series])
    for row in rows {
      guard let kind = LaunchStage.Kind(rawValue: try row.value(0)) else { continue }
      stages.histograms[kind, default: StartupHistogram()].counts[try row.value(1)] =
        try row.value(2) as Int
    }
    return stages
  }

  /// A trace that was sent again after the store had forgotten its id exists twice; one is kept.
  /// Traces that are no samples are left out.
  private func moveSamples() throws {
    let ids = try Int64.fetchAll(database, sql: "SELECT id FROM sampled_trace ORDER BY id")
    for id in ids {
      let row = try Row.fetchOne(
        database, sql: "SELECT program, family, day, trace FROM sampled_trace WHERE id = ?",
        arguments: [id])
      guard let row else { continue }
      let bytes: Data = try row.value(3)
      let traces = try bytes.withUnsafeBytes { bytes throws(Failure) in
        try FleetBatch.decode(bytes)
      }
      guard let trace = traces.first, trace.calls != nil,
        TraceVariants.contradiction(in: trace) == nil
      else { continue }
      try database.execute(
        cachedSQL: "INSERT OR IGNORE INTO new_sampled_trace VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          id, try row.value(0) as Int64, Data(PublisherID.earlierStore.bytes),
          Int64(bitPattern: trace.id.high), Int64(bitPattern: trace.id.low),
          try row.value(1) as Int64, try row.value(2) as Int64,
          Data(StateBatch.encode(sample: trace)),
        ])
    }
    try database.execute(
      sql: """
        DROP TABLE sampled_trace;
        ALTER TABLE new_sampled_trace RENAME TO sampled_trace;
        CREATE INDEX sampled_trace_by_family ON sampled_trace (program, family);
        DELETE FROM sampled_image WHERE trace NOT IN (SELECT id FROM sampled_trace);
        """)
  }
}

extension SeriesTotals {
  /// Reads consecutive columns, in the table's order.
  init(_ row: Row, from column: Int) throws {
    self.init()
    runs = try row.value(column)
    hosts = try row.value(column + 1)
    programRuns = try row.value(column + 2)
    processes = try row.value(column + 3)
    seconds = try row.value(column + 4)
    drops = try row.value(column + 5)
    uncommitted = try row.value(column + 6)
    lostImages = try row.value(column + 7)
    unreadableSegments = try row.value(column + 8)
  }
}
