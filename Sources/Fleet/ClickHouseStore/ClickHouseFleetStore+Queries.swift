import FirstlightModel
import FleetModel

extension ClickHouseFleetStore {
  package func builds(_ wanted: BuildFilter, page: Page) async throws -> [FleetBuild] {
    try await consistently(allowingGaps: true) { state in
      var builds = try await self.first.read(
        """
        SELECT build_id, recorder, name, place, is_executable, guard_count, is_named
        FROM (
          SELECT build_id, recorder, min(program) AS name, min(path) AS place,
            max(executable) AS is_executable, \(Self.trueGuards) AS guard_count,
            max(named) AS is_named
          FROM (\(self.buildRows(state))) GROUP BY build_id, recorder
        )
        WHERE \(self.conditions(wanted, page, state).joined(separator: " AND "))
        ORDER BY name, build_id, recorder LIMIT \(max(0, page.limit))
        """
      ) { row throws(Failure) in
        FleetBuild(
          key: try row.build(), program: try row.text(), path: try row.text(),
          isExecutable: try row.bool(), guardCount: try row.number(UInt32.self),
          hasFunctions: try row.bool(), wantsFunctions: true, versions: [], days: nil,
          totals: SeriesTotals())
      }
      let ids = Set(builds.map(\.key.buildID.description)).sorted()
      let whole = try await self.wholeTables("build_id IN \(SQLText.list(ids))").values
      let failures = try await self.lastReadFailures("build_id IN \(SQLText.list(ids))")
      let series = try await self.seriesRows("build_id IN \(SQLText.list(ids))", in: state)
      let dropped = try await self.dropped("build_id IN \(SQLText.list(ids))")
      for place in builds.indices {
        builds[place].dropped = dropped[builds[place].key]
        builds[place].wantsFunctions = !whole.contains(builds[place].key)
        if !builds[place].hasFunctions { builds[place].readFailure = failures[builds[place].key] }
        guard let records = series[builds[place].key]?.values else { continue }
        let days = records.map(\.day)
        if let first = days.min(), let last = days.max() { builds[place].days = first...last }
        builds[place].versions = Set(records.map(\.labels.version)).filter { !$0.isEmpty }.sorted()
        builds[place].totals = records.reduce(SeriesTotals()) { $0 + $1.totals }
      }
      return builds
    }
  }

  private func conditions(
    _ wanted: BuildFilter, _ page: Page, _ state: LogState
  ) -> [String] {
    var conditions = ["1"]
    if let buildID = wanted.buildID {
      let id = SQLText.quoted(buildID)
      conditions.append(
        """
        (build_id = \(id) OR (substring(build_id, 1, \(buildID.utf8.count)) = \(id)
        AND (SELECT count() FROM (\(buildRows(state))) WHERE build_id = \(id)) = 0))
        """)
    }
    if let recorder = wanted.recorder {
      conditions.append("recorder = \(SQLText.quoted(recorder.rawValue))")
    }
    if let program = wanted.program { conditions.append("name = \(SQLText.quoted(program))") }
    if let version = wanted.version {
      conditions.append(
        """
        (build_id, recorder) GLOBAL IN (SELECT build_id, recorder FROM sums
        WHERE \(state.isLive) AND version = \(SQLText.quoted(version)) GROUP BY build_id, recorder)
        """)
    }
    if let after = page.after {
      let name = SQLText.quoted(after.program)
      let id = SQLText.quoted(after.build.buildID.description)
      let recorder = SQLText.quoted(after.build.recorder.rawValue)
      conditions.append(
        """
        (name > \(name) OR (name = \(name) AND (build_id > \(id)
        OR (build_id = \(id) AND recorder > \(recorder)))))
        """)
    }
    return conditions
  }

  package func coverage(
    of build: BuildKey, in wanted: SeriesFilter
  ) async throws -> BuildCoverage? {
    try await consistently(allowingGaps: true) { state -> BuildCoverage? in
      guard let count = try await self.guardCounts(of: [build], in: state)[build] else {
        return nil
      }
      let isWanted = "\(SQLText.isOf(build))\(SQLText.isIn(wanted))"
      var totals = SeriesTotals()
      for record in try await self.seriesRows(isWanted, in: state)[build, default: [:]].values {
        totals = totals + record.totals
      }
      let question = FunctionSums.Question(build: build, series: wanted)
      let seen: FunctionSums?
      if self.choice?.missing == nil {
        seen = try await self.functionSums.answer(question, in: state) {
          part async throws(ClickHouseError) in
          try await self.functionSums(of: build, wanted, in: part)
        }
      } else {
        seen = try await self.functionSums(of: build, wanted, in: state)
      }
      return BuildCoverage(
        totals: totals, guards: GuardSums(guardCount: count, seen?.sums ?? [:]),
        callers: seen?.callers ?? [:])
    }
  }

  private func functionSums(
    of build: BuildKey, _ wanted: SeriesFilter, in state: LogState
  ) async throws(ClickHouseError) -> FunctionSums {
    let sums = try await first.read(functionQuery(of: build, wanted, in: state)) {
      row throws(Failure) in
      (
        try row.integer(UInt32.self),
        GuardSum(
          runs: try row.number(UInt64.self), hosts: try row.number(UInt64.self),
          firstSeen: try row.double(), lastSeen: try row.double())
      )
    }
    let callers = try await first.read(
      """
      SELECT guard, min(address) FROM (
        SELECT caller.guard AS guard, caller.address AS address
        FROM seen_build ARRAY JOIN caller WHERE \(state.isLive) AND \(SQLText.isOf(build))
        UNION ALL
        SELECT guard, address FROM called_from
        WHERE \(state.isLive) AND build = \(SQLText.number(of: build))
      ) GROUP BY guard
      """
    ) { row throws(Failure) in (try row.integer(UInt32.self), try row.integer(UInt64.self)) }
    return FunctionSums(
      sums: Dictionary(sums) { first, _ in first }, callers: Dictionary(callers) { min($0, $1) })
  }

  /// Asks for the sums of a build's functions: of attempts that were not added up, and of those that were.
  private func functionQuery(
    of build: BuildKey, _ wanted: SeriesFilter, in state: LogState
  ) -> String {
    let isWanted = "\(state.isLive) AND \(SQLText.isOf(build))\(SQLText.isIn(wanted))"
    var isCounted = "\(state.isLive) AND build = \(SQLText.number(of: build))"
    if let days = wanted.days { isCounted += SQLText.isIn(SeriesFilter(days: days)) }
    if wanted.version != nil || !wanted.labels.isEmpty {
      isCounted +=
        " AND label GLOBAL IN (SELECT \(SQLText.label) FROM sums WHERE \(isWanted))"
    }
    return """
      SELECT guard, sum(r), sum(h), min(f), max(l) FROM (
        SELECT called.guard AS guard, sum(called.runs) AS r, sum(called.hosts) AS h,
          min(called.first_seen) AS f, max(called.last_seen) AS l
        FROM sums ARRAY JOIN called WHERE \(isWanted) GROUP BY guard
        UNION ALL
        SELECT guard, sum(runs) AS r, sum(hosts) AS h, min(first_seen) AS f, max(last_seen) AS l
        FROM called WHERE \(isCounted) GROUP BY guard
      ) GROUP BY guard
      """
  }

  package func series(
    of build: BuildKey, in wanted: SeriesFilter
  ) async throws -> [SeriesRecord] {
    try await consistently(allowingGaps: true) { state in
      let isWanted = "\(SQLText.isOf(build))\(SQLText.isIn(wanted))"
      var series = try await self.seriesRows(isWanted, in: state)[build] ?? [:]
      let startups = try await self.first.read(
        """
        SELECT build_id, recorder, day, version, labels, startup.bucket AS bucket,
          sum(startup.starts)
        FROM sums ARRAY JOIN startup WHERE \(state.isLive) AND \(isWanted)
        GROUP BY build_id, recorder, day, version, labels, bucket
        """
      ) { row throws(Failure) in
        (try Self.seriesKey(&row), try row.integer(Int32.self), try row.number(UInt64.self))
      }
      for (key, bucket, starts) in startups {
        series[key]?.startups.counts[bucket] = starts
      }
      let stages = try await self.first.read(
        """
        SELECT build_id, recorder, day, version, labels, kind, bucket, sum(starts) FROM stage
        WHERE \(state.isLive) AND \(isWanted)
        GROUP BY build_id, recorder, day, version, labels, kind, bucket
        """
      ) { row throws(Failure) in
        (
          try Self.seriesKey(&row), LaunchStage.Kind(rawValue: try row.text()),
          try row.integer(Int32.self), try row.number(UInt64.self)
        )
      }
      for case (let key, let kind?, let bucket, let starts) in stages {
        series[key]?.stages.histograms[kind, default: StartupHistogram()].counts[bucket] = starts
      }
      return series.values.sorted {
        ($0.day.number, $0.labels.version, $0.labels.text)
          < ($1.day.number, $1.labels.version, $1.labels.text)
      }
    }
  }

  /// Without start-up times.
  private func seriesRows(
    _ condition: String, in state: LogState
  ) async throws(ClickHouseError) -> [BuildKey: [SeriesKey: SeriesRecord]] {
    let rows = try await first.read(
      """
      SELECT build_id, recorder, day, version, labels, sum(runs), sum(hosts), sum(program_runs),
        sum(processes), sum(microseconds), sum(drops), sum(uncommitted), sum(lost_images),
        sum(unreadable_segments)
      FROM sums WHERE \(state.isLive) AND \(condition)
      GROUP BY build_id, recorder, day, version, labels
      """
    ) { row throws(Failure) in
      let key = try Self.seriesKey(&row)
      var totals = SeriesTotals()
      totals.runs = try row.number(UInt64.self)
      totals.hosts = try row.number(UInt64.self)
      totals.programRuns = try row.number(UInt64.self)
      totals.processes = try row.number(UInt64.self)
      totals.seconds = Double(try row.integer(UInt64.self)) / 1e6
      totals.drops = try row.number(UInt64.self)
      totals.uncommitted = try row.number(UInt64.self)
      totals.lostImages = try row.number(UInt64.self)
      totals.unreadableSegments = try row.number(UInt64.self)
      return (
        key,
        SeriesRecord(day: key.day, labels: key.labels, totals: totals)
      )
    }
    var series: [BuildKey: [SeriesKey: SeriesRecord]] = [:]
    for (key, record) in rows { series[key.build, default: [:]][key] = record }
    return series
  }

  private static func seriesKey(_ row: inout RowReader) throws(Failure) -> SeriesKey {
    let build = try row.build()
    let day = FleetDay(number: try row.integer(Int32.self))
    guard let labels = FleetLabels(version: try row.text(), text: try row.text()) else {
      throw Failure(.data, "damaged ClickHouse store: labels of build \(build.buildID.short)")
    }
    return SeriesKey(build: build, day: day, labels: labels)
  }
}
