import FirstlightModel
import FleetModel
import Testing

/// What a store has to answer: of each publisher and key the row of the highest version, added up one
/// function after the other.
struct StateOracle {
  private var rows: [ExampleHosts.Row: SeriesState] = [:]

  mutating func take(_ published: PublishedStates) {
    for state in published.states {
      let row = ExampleHosts.Row(publisher: published.publisher, key: state.key)
      if rows[row]?.version ?? 0 < state.version { rows[row] = state }
    }
  }

  mutating func remove(where isGone: (SeriesState) -> Bool) {
    rows = rows.filter { !isGone($0.value) }
  }

  var rowCount: Int { rows.count }

  func rows(of build: BuildKey, in wanted: FleetQuery = FleetQuery()) -> [SeriesState] {
    rows.values.filter {
      $0.key.build == build && wanted.contains(day: $0.key.day, labels: $0.key.labels)
    }
  }

  /// Compares all answers of a store.
  /// - Parameter guards: of the builds, as they truly are.
  func check(
    _ store: any FleetStore, guards: [BuildKey: Int] = ExampleHosts.guards,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for (build, count) in guards {
      let all = rows(of: build)
      let days = Set(all.map(\.key.day)).sorted()
      var filters = [
        FleetQuery(), FleetQuery(version: "1.2"), FleetQuery(labels: ["region": "eu"]),
      ]
      filters += days.map { FleetQuery(days: $0...$0) }
      if let first = days.first {
        filters.append(FleetQuery(version: "1.3", days: first...first))
      }
      for filter in filters {
        let answer = try #require(
          try await store.coverage(of: build, in: filter), sourceLocation: sourceLocation)
        let wanted = rows(of: build, in: filter)
        let isSame = answer.guards == GuardSums(guardCount: count, Self.functions(wanted))
        #expect(isSame, "functions", sourceLocation: sourceLocation)
        for index in 0..<2 * UInt32(count) {
          let isMissed = !wanted.isEmpty && wanted.allSatisfy { $0.unseen.contains(index) }
          #expect(answer.unseen.contains(index) == isMissed, sourceLocation: sourceLocation)
        }
        #expect(answer.totals == Self.totals(wanted), sourceLocation: sourceLocation)
        #expect(answer.callers == Self.callers(all), sourceLocation: sourceLocation)
        let series = try await store.series(of: build, in: filter)
        #expect(series == Self.series(wanted), sourceLocation: sourceLocation)
      }
      let known = try #require(
        try await store.builds(
          FleetQuery(buildID: build.buildID.description, recorder: build.recorder), page: Page()
        ).first, sourceLocation: sourceLocation)
      #expect(known.totals == Self.totals(all), sourceLocation: sourceLocation)
      #expect(known.days == days.first.map { $0...days[days.count - 1] })
      #expect(
        known.versions.listed == Set(all.map(\.key.labels.version)).filter { !$0.isEmpty }.sorted(),
        sourceLocation: sourceLocation)
      #expect(known.guardCount == count, sourceLocation: sourceLocation)
    }
  }

  private static func functions(_ rows: [SeriesState]) -> [UInt32: GuardSum] {
    var functions: [UInt32: GuardSum] = [:]
    for (guardIndex, sum) in rows.flatMap({ Array($0.sums.called) }) {
      let known = functions[guardIndex]
      functions[guardIndex] = GuardSum(
        runs: (known?.runs ?? 0) + sum.runs, hosts: (known?.hosts ?? 0) + sum.hosts,
        firstSeen: min(known?.firstSeen ?? .infinity, sum.firstSeen),
        lastSeen: max(known?.lastSeen ?? 0, sum.lastSeen))
    }
    return functions
  }

  private static func totals(_ rows: [SeriesState]) -> SeriesTotals {
    var totals = SeriesTotals()
    for row in rows {
      totals.runs += row.totals.runs
      totals.hosts += row.totals.hosts
      totals.programRuns += row.totals.programRuns
      totals.processes += row.totals.processes
      totals.seconds += row.totals.seconds
      totals.drops += row.totals.drops
      totals.uncommitted += row.totals.uncommitted
      totals.lostImages += row.totals.lostImages
      totals.unreadableSegments += row.totals.unreadableSegments
      totals.unrecordedProcesses += row.totals.unrecordedProcesses
      totals.runningProcesses += row.totals.runningProcesses
      totals.windows += row.totals.windows
      totals.windowSeconds += row.totals.windowSeconds
    }
    return totals
  }

  private static func callers(_ rows: [SeriesState]) -> [UInt32: UInt64] {
    var callers: [UInt32: UInt64] = [:]
    for (guardIndex, caller) in rows.flatMap(\.callers) {
      callers[guardIndex] = min(callers[guardIndex] ?? .max, caller)
    }
    return callers
  }

  private static func series(_ rows: [SeriesState]) -> [SeriesRecord] {
    Dictionary(grouping: rows, by: \.key.series).map { key, rows in
      var record = SeriesRecord(day: key.day, labels: key.labels, totals: totals(rows))
      for row in rows {
        record.startups.counts.merge(row.startups.counts, uniquingKeysWith: +)
        for (kind, histogram) in row.stages.histograms {
          record.stages.histograms[kind, default: StartupHistogram()].counts.merge(
            histogram.counts, uniquingKeysWith: +)
        }
      }
      return record
    }.sorted {
      ($0.day, $0.labels.version, $0.labels.text) < ($1.day, $1.labels.version, $1.labels.text)
    }
  }
}
