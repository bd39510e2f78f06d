import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

extension SQLiteFleetStore {
  package func builds(_ wanted: BuildFilter, page: Page) async throws -> [FleetBuild] {
    try await read { database in
      var conditions: [String] = []
      var arguments: StatementArguments = []
      if let buildID = wanted.buildID {
        conditions.append(
          """
          (build_id = ? OR substr(build_id, 1, ?) = ?
            AND NOT EXISTS (SELECT 1 FROM build WHERE build_id = ?))
          """)
        arguments += [buildID, buildID.count, buildID, buildID]
      }
      if let recorder = wanted.recorder {
        conditions.append("recorder = ?")
        arguments += [recorder.rawValue]
      }
      if let program = wanted.program {
        conditions.append("program = ?")
        arguments += [program]
      }
      if let version = wanted.version {
        conditions.append(
          "EXISTS (SELECT 1 FROM series WHERE series.build = build.id AND version = ?)")
        arguments += [version]
      }
      if let after = page.after {
        conditions.append("(program, build_id, recorder) > (?, ?, ?)")
        arguments += [
          after.program, after.build.buildID.description, after.build.recorder.rawValue,
        ]
      }
      // Last, as it asks most.
      if try Self.hasVariants(database) { conditions.append(Self.isTrue) }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, build_id, recorder, program, path, executable, guards,
            architecture IS NOT NULL
          FROM build \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
          ORDER BY program, build_id, recorder LIMIT ?
          """, arguments: arguments + [page.limit])
      return try rows.map { try build($0, in: database) }
    }
  }

  private func build(_ row: Row, in database: Database) throws -> FleetBuild {
    let id: Int64 = try row.value(0)
    guard let buildID = BuildID(try row.value(1)),
      let recorder = Recorder(rawValue: try row.value(2))
    else { throw Failure.damagedStore(path, "build \(id)") }
    let series = try seriesRows(of: id, in: SeriesFilter(), database)
    let days = series.map(\.record.day)
    let key = BuildKey(buildID: buildID, recorder: recorder)
    return FleetBuild(
      key: key, program: try row.value(3),
      path: try row.value(4), isExecutable: try row.value(5), guardCount: try row.value(6),
      hasFunctions: try row.value(7), wantsFunctions: !(try row.value(7)),
      versions: Set(series.map(\.record.labels.version)).filter { !$0.isEmpty }.sorted(),
      days: days.isEmpty ? nil : days[0]...days[days.count - 1],
      totals: series.reduce(SeriesTotals()) { $0 + $1.record.totals },
      readFailure: try row.value(7) ? nil : readFailure(ofBuild: id, in: database),
      dropped: try Self.dropped(key, in: database))
  }

  package func coverage(
    of build: BuildKey, in wanted: SeriesFilter
  ) async throws -> BuildCoverage? {
    try await read { database in
      guard let (id, guards) = try Self.row(of: build, in: database) else { return nil }
      var totals = SeriesTotals()
      var sums: [UInt32: GuardSum] = [:]
      for series in try seriesRows(of: id, in: wanted, database) {
        totals = totals + series.record.totals
        let rows = try Row.fetchCursor(
          database,
          sql: "SELECT guard, runs, hosts, first_seen, last_seen FROM coverage WHERE series = ?",
          arguments: [series.id])
        while let row = try rows.next() {
          let guardIndex: Int = try row.value(0)
          guard 0..<guards ~= guardIndex else {
            throw Failure.damagedStore(path, "guard \(guardIndex) of build \(id)")
          }
          let sum = try GuardSum(
            runs: row.value(1), hosts: row.value(2), firstSeen: row.value(3),
            lastSeen: row.value(4))
          sums[UInt32(guardIndex), default: GuardSum()].add(sum)
        }
      }
      var callerOf: [UInt32: UInt64] = [:]
      let callers = try Row.fetchCursor(
        database, sql: "SELECT guard, address FROM caller WHERE build = ?", arguments: [id])
      while let row = try callers.next() {
        callerOf[UInt32(clamping: try row.value(0) as Int64)] = UInt64(
          bitPattern: try row.value(1) as Int64)
      }
      return BuildCoverage(
        totals: totals, guards: GuardSums(guardCount: guards, sums), callers: callerOf)
    }
  }

  package func series(
    of build: BuildKey, in wanted: SeriesFilter
  ) async throws -> [SeriesRecord] {
    try await read { database in
      let id = try Self.row(of: build, in: database)?.id
      return try seriesRows(of: id ?? -1, in: wanted, database).map { series in
        var record = series.record
        let rows = try Row.fetchAll(
          database, sql: "SELECT bucket, starts FROM startup WHERE series = ?",
          arguments: [series.id])
        for row in rows { record.startups.counts[try row.value(0)] = try row.value(1) as Int }
        // A store of an older firstlightd, opened to be read only.
        guard try database.tableExists("stage") else { return record }
        let stages = try Row.fetchAll(
          database, sql: "SELECT kind, bucket, starts FROM stage WHERE series = ?",
          arguments: [series.id])
        for row in stages {
          guard let kind = LaunchStage.Kind(rawValue: try row.value(0)) else { continue }
          record.stages.histograms[kind, default: StartupHistogram()].counts[try row.value(1)] =
            try row.value(2) as Int
        }
        return record
      }
    }
  }

  /// Without start-up times.
  private func seriesRows(
    of build: Int64, in wanted: SeriesFilter, _ database: Database
  ) throws -> [(id: Int64, record: SeriesRecord)] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT id, day, version, labels, runs, hosts, program_runs, processes, seconds, drops,
          uncommitted, lost_images, unreadable_segments
        FROM series WHERE build = ? ORDER BY day, version, labels
        """, arguments: [build]
    ).compactMap { row in
      let day = FleetDay(number: try row.value(1))
      guard let labels = FleetLabels(version: try row.value(2), text: try row.value(3)) else {
        throw Failure.damagedStore(path, "labels of series \(try row.value(0) as Int)")
      }
      guard wanted.contains(day: day, labels: labels) else { return nil }
      var totals = SeriesTotals()
      totals.runs = try row.value(4)
      totals.hosts = try row.value(5)
      totals.programRuns = try row.value(6)
      totals.processes = try row.value(7)
      totals.seconds = try row.value(8)
      totals.drops = try row.value(9)
      totals.uncommitted = try row.value(10)
      totals.lostImages = try row.value(11)
      totals.unreadableSegments = try row.value(12)
      return (
        try row.value(0),
        SeriesRecord(day: day, labels: labels, totals: totals)
      )
    }
  }
}
