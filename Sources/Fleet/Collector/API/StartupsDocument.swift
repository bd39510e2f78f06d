import FirstlightModel
import FleetModel

/// Start-up times of one program's versions.
package struct StartupsDocument: Codable, Sendable {
  package struct Row: Codable, Sendable {
    package var buildID: String
    package var program: String
    package var version: String
    package var labels: [TextBytes: String]
    package var firstDay: String
    package var lastDay: String
    package var starts: Int
    /// Seconds.
    package var p50: Double
    package var p90: Double
    package var p99: Double
    /// In order; only from starts that `firstlight launch` measured. nil: there are none.
    package var stages: [Stage]?

    package init(build: FleetBuild, labels: FleetLabels, sums: Sums) {
      let (days, startups) = (sums.days, sums.startups)
      buildID = build.key.buildID.description
      program = build.program
      version = labels.version
      self.labels = labels.labels
      firstDay = days.lowerBound.description
      lastDay = days.upperBound.description
      starts = startups.total
      p50 = startups.percentile(0.5) ?? 0
      p90 = startups.percentile(0.9) ?? 0
      p99 = startups.percentile(0.99) ?? 0
      let stages = LaunchStage.Kind.allCases.compactMap { Stage($0, of: sums.stages) }
      self.stages = stages.isEmpty ? nil : stages
    }
  }

  /// One stage of a row's starts.
  package struct Stage: Codable, Sendable {
    /// `exec`, `mapping`, `relocating`, `initializers`, `main`, `unknown`, `event`.
    package var kind: String
    package var starts: Int
    /// Seconds.
    package var p50: Double
    package var p90: Double
    package var p99: Double

    /// - Returns: nil if no start has this stage.
    init?(_ kind: LaunchStage.Kind, of stages: StageHistograms) {
      self.kind = kind.rawValue
      starts = stages.total(kind)
      guard let p50 = stages.percentile(0.5, of: kind), let p90 = stages.percentile(0.9, of: kind),
        let p99 = stages.percentile(0.99, of: kind)
      else { return nil }
      (self.p50, self.p90, self.p99) = (p50, p90, p99)
    }
  }

  /// The sums of a build's series.
  package struct Sums: Sendable {
    var days: ClosedRange<FleetDay>
    var startups = StartupHistogram()
    var stages = StageHistograms()

    init(days: ClosedRange<FleetDay>) { self.days = days }

    mutating func add(_ series: SeriesRecord) {
      days = min(days.lowerBound, series.day)...max(days.upperBound, series.day)
      startups.add(series.startups)
      stages.add(series.stages)
    }
  }

  package var startups: [Row]

  package init(startups: [Row]) { self.startups = startups }
}

extension FleetStore {
  /// Start-up times of the selected programs.
  /// - Throws: `.noInput` if no build matches.
  package func startups(of query: FleetQuery) async throws -> StartupsDocument {
    let builds = try await builds(query, page: Page(limit: 1000))
    if builds.isEmpty { throw await nothing() }
    return try await startups(of: builds, in: query)
  }

  /// Start-up times, with a row for each build and set of labels. Sorted by program, first day, version, build and
  /// labels.
  package func startups(
    of builds: [FleetBuild], in query: FleetQuery
  ) async throws -> StartupsDocument {
    var rows: [StartupsDocument.Row] = []
    for build in builds where build.isExecutable {
      var sums: [FleetLabels: StartupsDocument.Sums] = [:]
      for series in try await series(of: build.key, in: query)
      where series.startups.total > 0 || !series.stages.isEmpty {
        sums[series.labels, default: StartupsDocument.Sums(days: series.day...series.day)]
          .add(series)
      }
      for (labels, sum) in sums {
        rows.append(StartupsDocument.Row(build: build, labels: labels, sums: sum))
      }
    }
    rows.sort {
      ($0.program, $0.firstDay, $0.version, $0.buildID, $0.labelText)
        < ($1.program, $1.firstDay, $1.version, $1.buildID, $1.labelText)
    }
    return StartupsDocument(startups: rows)
  }
}

extension StartupsDocument.Row {
  /// The labels as `KEY=VALUE`, sorted by key.
  package var labelText: String {
    labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }
}
