import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport
import SystemSupport

extension SQLiteFleetStore {
  package func builds(_ wanted: FleetQuery, page: Page) async throws -> [FleetBuild] {
    try await read { database in
      var conditions: [String] = []
      var arguments: StatementArguments = []
      if let buildID = wanted.buildID {
        // No id contains a tilde.
        var condition = "build_id >= ? AND build_id < ?"
        arguments += [buildID, buildID + "~"]
        if !BuildID.isShort(buildID) {
          condition =
            "(\(condition)) AND (build_id = ? OR NOT EXISTS (SELECT 1 FROM build WHERE build_id = ?))"
          arguments += [buildID, buildID]
        }
        conditions.append("(\(condition))")
      }
      if let recorder = wanted.recorder {
        conditions.append("recorder = ?")
        arguments += [recorder.rawValue]
      }
      conditions.append(Self.isListed)
      if let program = wanted.program {
        conditions.append("id IN (SELECT build FROM build_name WHERE program = ?)")
        arguments += [program]
      }
      if let version = wanted.version {
        conditions.append(
          "EXISTS (SELECT 1 FROM build_version WHERE build = build.id AND version = ?)")
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
          SELECT \(Self.columns) FROM build WHERE \(conditions.joined(separator: " AND "))
          ORDER BY program, build_id, recorder LIMIT ?
          """, arguments: arguments + [page.limit])
      return try rows.map { try build($0, in: database) }
    }
  }

  /// A build's counters are no build of their own.
  static let isListed = "recorder <> '\(Recorder.counters.rawValue)'"

  /// The columns of `build(_:in:)`.
  private static let columns = """
    id, build_id, recorder, executable, guards,
      EXISTS (SELECT 1 FROM function_table WHERE build = id),
      (SELECT min(day) FROM state WHERE state.build = build.id),
      (SELECT max(day) FROM state WHERE state.build = build.id),
      sum_microseconds, \(SeriesTotals.counts.map { "sum_\($0.column)" }.joined(separator: ", "))
    """

  private func build(_ row: Row, in database: Database) throws -> FleetBuild {
    let id: Int64 = try row.value(0)
    let key = try row.build(1)
    let hasFunctions: Bool = try row.value(5)
    let days: (Int32?, Int32?) = (try row.optionalValue(6), try row.optionalValue(7))
    var totals = SeriesTotals()
    totals.seconds = try row.value(8) / 1e6
    for (place, count) in SeriesTotals.counts.enumerated() {
      totals[keyPath: count.path] = try row.value(9 + place)
    }
    return FleetBuild(
      key: key, names: try Self.names(of: id, in: database), isExecutable: try row.value(3),
      guardCount: try row.value(4), claims: try Self.claimCount(of: key, in: database),
      hasFunctions: hasFunctions, versions: try Self.versions(of: id, in: database),
      days: days.0.flatMap { first in
        days.1.map { FleetDay(number: first)...FleetDay(number: $0) }
      }, totals: totals,
      readFailure: hasFunctions ? nil : try readFailure(ofBuild: id, in: database),
      contradiction: try Self.contradiction(of: key, in: database),
      dropped: try Self.dropped(key, in: database))
  }

  private static func versions(of build: Int64, in database: Database) throws -> BuildVersions {
    let ofBuild = "FROM build_version WHERE build = ? AND version <> ''"
    let most = try String.fetchAll(
      database.cachedStatement(
        sql: "SELECT version \(ofBuild) ORDER BY runs DESC, version LIMIT ?"),
      arguments: [build, TraceLimits.versions])
    let count =
      most.count < TraceLimits.versions
      ? most.count
      : try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) \(ofBuild)"), arguments: [build]) ?? 0
    return BuildVersions(most, of: count)
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

  package func unnamed(
    among builds: Set<BuildKey>?, after: BuildKey?, limit: Int
  ) async throws -> [UnnamedBuild] {
    try await read { database in
      var conditions = ["NOT EXISTS (SELECT 1 FROM function_table WHERE build = id)", Self.isTrue]
      var arguments: StatementArguments = []
      if let builds {
        let texts = builds.map { "\($0.buildID)/\($0.recorder.rawValue)" }
        conditions.insert(
          """
          (build_id, recorder) IN (
            SELECT substr(value, 1, instr(value, '/') - 1), substr(value, instr(value, '/') + 1)
            FROM json_each(?))
          """, at: 0)
        arguments += [try JSONForm.compact(texts.sorted())]
      }
      if let after {
        conditions.insert("(build_id, recorder) > (?, ?)", at: 0)
        arguments += [after.buildID.description, after.recorder.rawValue]
      }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, build_id, recorder, guards FROM build
          WHERE \(conditions.joined(separator: " AND "))
          ORDER BY build_id, recorder LIMIT ?
          """, arguments: arguments + [limit])
      return try rows.map { row in
        let id: Int64 = try row.value(0)
        return UnnamedBuild(
          key: try row.build(1), names: try Self.names(of: id, in: database),
          guardCount: try row.value(3),
          readFailure: try self.readFailure(ofBuild: id, in: database))
      }
    }
  }

  package func coverage(
    of build: BuildKey, in wanted: FleetQuery
  ) async throws -> BuildCoverage? {
    try await read { database in
      guard let row = try Self.row(of: build, in: database) else { return nil }
      var totals = SeriesTotals()
      var functions = GuardSumsTally(guardCount: row.guardCount)
      var unseen: UnseenFunctions?
      try StateRow.forEach(of: row, in: wanted, functions: true, database) { state in
        totals = totals + state.totals
        functions.add(state.sums)
        unseen = unseen?.intersection(state.unseen) ?? state.unseen
      }
      return BuildCoverage(
        totals: totals, guards: functions.total,
        callers: try Self.callers(of: row.id, in: database),
        unseen: unseen ?? UnseenFunctions())
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
