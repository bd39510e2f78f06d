import FleetModel

extension FleetStore {
  /// Start-up times of the selected programs, a row for each build and set of labels, by program and
  /// first day, those of one day by version, build and labels.
  package func startups(of selection: FleetSelection) async throws -> StartupsDocument {
    var rows: [StartupsDocument.Row] = []
    let builds = try await builds(selection.builds, page: Page(limit: 1000))
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
  /// `KEY=VALUE` of each label, by key.
  package var labelText: String {
    labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }
}
