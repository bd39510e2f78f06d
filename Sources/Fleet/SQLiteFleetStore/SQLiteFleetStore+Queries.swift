import FirstlightModel
import FleetModel
import GRDB
import ProfileFile
import SQLiteSupport

extension SQLiteFleetStore {
  package func builds(_ wanted: FleetQuery, page: Page) async throws -> [FleetBuild] {
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
        conditions.append("id IN (SELECT build FROM build_name WHERE program = ?)")
        arguments += [program]
      }
      if let version = wanted.version {
        conditions.append(
          "EXISTS (SELECT 1 FROM state WHERE state.build = build.id AND version = ?)")
        arguments += [version]
      }
      if let after = page.after {
        conditions.append("(program, build_id, recorder) > (?, ?, ?)")
        arguments += [
          after.program, after.build.buildID.description, after.build.recorder.rawValue,
        ]
      }
      // Last, since it is the most expensive condition.
      conditions.append(Self.isTrue)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, build_id, recorder, executable, guards,
            EXISTS (SELECT 1 FROM function_table WHERE build = id)
          FROM build WHERE \(conditions.joined(separator: " AND "))
          ORDER BY program, build_id, recorder LIMIT ?
          """, arguments: arguments + [page.limit])
      return try rows.map { try build($0, in: database) }
    }
  }

  private func build(_ row: Row, in database: Database) throws -> FleetBuild {
    let id: Int64 = try row.value(0)
    let key = try row.build(1)
    let (days, totals) = try totals(of: id, in: database)
    return FleetBuild(
      key: key, names: try Self.names(of: id, in: database), isExecutable: try row.value(3),
      guardCount: try row.value(4), hasFunctions: try row.value(5),
      versions: try String.fetchAll(
        database,
        sql: """
          SELECT DISTINCT version FROM state WHERE build = ? AND version <> '' ORDER BY version
          """, arguments: [id]),
      days: days, totals: totals,
      readFailure: try row.value(5) ? nil : readFailure(ofBuild: id, in: database),
      contradiction: try Self.contradiction(of: key, in: database),
      dropped: try Self.dropped(key, in: database))
  }

  private static func names(of build: Int64, in database: Database) throws -> ImageNames {
    var names = ImageNames()
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT path, runs FROM build_name WHERE build = ? ORDER BY runs DESC, program LIMIT ?
          """), arguments: [build, ImageNames.limit])
    while let row = try rows.next() { names.add(try row.value(0), runs: try row.value(1)) }
    return names
  }

  private func totals(
    of build: Int64, in database: Database
  ) throws -> (days: ClosedRange<FleetDay>?, SeriesTotals) {
    // total(): sum() fails on overflow, which untrusted numbers may cause.
    let sums = SeriesTotals.counts.map { "CAST(total(\($0.column)) AS INTEGER)" }
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT min(day), max(day), total(seconds), \(sums.joined(separator: ", "))
        FROM state WHERE build = ?
        """, arguments: [build])
    guard let row, let first: Int32 = try row.optionalValue(0) else { return (nil, SeriesTotals()) }
    var totals = SeriesTotals()
    totals.seconds = try row.value(2)
    for (place, count) in SeriesTotals.counts.enumerated() {
      totals[keyPath: count.path] = try row.value(3 + place)
    }
    return (FleetDay(number: first)...FleetDay(number: try row.value(1)), totals)
  }

  package func coverage(
    of build: BuildKey, in wanted: FleetQuery
  ) async throws -> BuildCoverage? {
    try await read { database in
      guard let row = try Self.row(of: build, in: database) else { return nil }
      var totals = SeriesTotals()
      var functions = GuardSumsTally(guardCount: row.guardCount)
      var unwatched: GuardSet?
      try StateRow.forEach(of: row, in: wanted, functions: true, database) { state in
        totals = totals + state.totals
        functions.add(state.sums)
        unwatched = unwatched?.intersection(state.unwatched) ?? state.unwatched
      }
      var callerOf: [UInt32: UInt64] = [:]
      var callers = try RowReading(
        sql: "SELECT guard, address FROM caller WHERE build = ?", build: Int(row.id),
        in: database.handle)
      while try callers.next() {
        callerOf[UInt32(clamping: try callers.integer(0))] = UInt64(
          bitPattern: try callers.integer(1))
      }
      return BuildCoverage(
        totals: totals, guards: functions.total, callers: callerOf,
        unwatched: unwatched ?? GuardSet())
    }
  }

  package func series(
    of build: BuildKey, in wanted: FleetQuery
  ) async throws -> [SeriesRecord] {
    try await read { database in
      guard let row = try Self.row(of: build, in: database) else { return [] }
      var series: [SeriesState] = []
      try StateRow.forEach(of: row, in: wanted, functions: false, database) { state in
        if series.last?.key == state.key {
          series[series.count - 1].add(state)
        } else {
          series.append(state)
        }
      }
      return series.map { state in
        SeriesRecord(
          day: state.key.day, labels: state.key.labels, totals: state.totals,
          startups: state.startups, stages: state.stages)
      }
    }
  }
}
