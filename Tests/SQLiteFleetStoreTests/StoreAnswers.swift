import FirstlightModel
import FleetModel

/// All answers of a store as lines of text, the same for the same evidence.
enum StoreAnswers {
  static func lines(of store: any FleetStore) async throws -> [String] {
    var lines: [String] = []
    for build in try await store.builds(BuildFilter(), page: Page()) {
      lines += [line(build)]
      let all = SeriesFilter()
      for series in try await store.series(of: build.key, in: all) {
        lines += ["  " + line(series)]
        var filter = SeriesFilter(
          days: series.day...series.day, version: series.labels.version,
          labels: series.labels.labels)
        if series.labels.version.isEmpty { filter.version = nil }
        lines += ["    " + (try await functions(of: build.key, in: filter, store))]
      }
      lines += ["  " + (try await functions(of: build.key, in: all, store))]
      let callers = try await store.coverage(of: build.key, in: all)?.callers ?? [:]
      lines += [
        "  callers "
          + callers.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
          .joined(separator: " ")
      ]
      lines += try await store.traces(of: build.key).map { trace in
        "  trace \(trace.family) \(trace.id) of \(trace.run): "
          + (trace.calls ?? []).map { "\($0.build).\($0.guardIndex)" }.joined(separator: " ")
      }.sorted()
    }
    return lines
  }

  /// Each as its number, runs, hosts, and the hours of its first and last call.
  private static func functions(
    of build: BuildKey, in filter: SeriesFilter, _ store: any FleetStore
  ) async throws -> String {
    guard let sums = try await store.coverage(of: build, in: filter)?.guards else { return "none" }
    return "functions "
      + sums.called.map { guardIndex, sum in
        "\(guardIndex):\(sum.runs)/\(sum.hosts)/\(Int(sum.firstSeen) / 3600)-"
          + "\(Int(sum.lastSeen) / 3600)"
      }.joined(separator: " ")
  }

  private static func line(_ build: FleetBuild) -> String {
    let days = build.days.map { "\($0.lowerBound)...\($0.upperBound)" } ?? "never"
    let path = build.names.paths.first ?? ""
    return "build \(build.key.buildID) \(build.key.recorder.rawValue) \(build.program) "
      + "\(path) \(build.isExecutable) \(build.guardCount) \(build.hasFunctions) "
      + "\(build.versions.joined(separator: ",")) \(days) \(line(build.totals)) "
      + (build.dropped?.sentence ?? "")
  }

  private static func line(_ series: SeriesRecord) -> String {
    let stages = series.stages.histograms.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.key.rawValue) \(line($0.value))" }
    return "series \(series.day) \(series.labels.version) "
      + series.labels.text.replacing("\n", with: ",")
      + " \(line(series.totals)) ready \(line(series.startups)) \(stages.joined(separator: " "))"
  }

  private static func line(_ histogram: StartupHistogram) -> String {
    histogram.counts.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
      .joined(separator: ",")
  }

  private static func line(_ totals: SeriesTotals) -> String {
    [
      totals.runs, totals.hosts, totals.programRuns, totals.processes, totals.drops,
      totals.uncommitted, totals.lostImages, totals.unreadableSegments,
    ].map(String.init).joined(separator: "/") + " \(totals.seconds) s"
  }
}
