import FirstlightModel
import FleetModel

extension FleetSelection {
  /// The keys that `init(query:)` knows.
  package static let keys = [
    "build-id", "recorder", "program", "version", "label", "since", "until",
  ]

  /// Parses the selection of an address or command line: `build-id`, `recorder`, `program`, `version`, `label`
  /// (repeated, `k=v`), `since` and `until` (days). Ignores other keys.
  /// - Throws: `.usage`, naming the error.
  package init(query: [(String, String)]) throws(Failure) {
    var builds = BuildFilter()
    var series = SeriesFilter()
    var since = FleetDay(number: 0)
    var until = FleetDay(number: .max)
    for (key, value) in query {
      switch key {
      case "build-id": builds.buildID = value
      case "recorder": builds.recorder = try Self.recorder(value)
      case "program": builds.program = value
      case "version": builds.version = value
      case "label":
        let label = try FleetLabels.pair(value)
        series.labels[label.key] = label.value
      case "since": since = try Self.day(value)
      case "until": until = try Self.day(value)
      default: break
      }
    }
    guard since <= until else { throw Failure(.usage, "\(until) is before \(since)") }
    if since.number > 0 || until.number < .max { series.days = since...until }
    self.init(builds: builds, series: series)
  }

  private static func recorder(_ text: String) throws(Failure) -> Recorder {
    guard let recorder = Recorder(rawValue: text) else {
      throw Failure(
        .usage, "\"\(text)\" is not a recorder",
        advice: "use \(Recorder.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    return recorder
  }

  private static func day(_ text: String) throws(Failure) -> FleetDay {
    guard let day = FleetDay(text) else {
      throw Failure(.usage, "\"\(text)\" is not a day", advice: "write it as 2026-11-21")
    }
    return day
  }
}

extension FleetStore {
  /// Start-up times of the selected programs, with a row for each build and set of labels. Sorted by program,
  /// first day, version, build and labels.
  /// - Throws: `.noInput` if no build matches.
  package func startups(of selection: FleetSelection) async throws -> StartupsDocument {
    var rows: [StartupsDocument.Row] = []
    let builds = try await builds(selection.builds, page: Page(limit: 1000))
    if builds.isEmpty { throw await nothing(for: selection) }
    for build in builds where build.isExecutable {
      var sums: [FleetLabels: StartupsDocument.Sums] = [:]
      for series in try await series(of: build.key, in: selection.series)
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
