import FirstlightModel
import FleetModel
import SystemSupport

/// A fleet's builds as text: a row for each, and the builds that retention has removed.
package enum FleetBuildsText {
  package static func text(_ document: BuildsDocument) -> String {
    let missing = document.missingEvidence.map { $0 + "\n" }.joined()
    if document.builds.isEmpty { return "No builds.\n" + missing }
    var table = TextTable([.left, .left, .left, .right, .right, .left, .left, .left])
    table.add("Program", "Version", "Build id", "Runs", "Hosts", "First", "Last", "Names")
    for build in document.builds {
      table.add(
        name(of: build), versions(of: build),
        BuildID(build.buildID)?.short ?? build.buildID,
        runs(of: build), build.hosts > 0 ? CountText.number(build.hosts) : "-",
        build.firstDay ?? "-", build.lastDay ?? "-", functions(of: build))
    }
    let contradictions = document.builds.flatMap { build in
      [build.contradiction, build.contest].compactMap(\.self).map {
        "\(build.program) (\(BuildID(build.buildID)?.short ?? build.buildID)): \($0)\n"
      }
    }
    let notes = contradictions.joined() + missing
    return table.text() + (notes.isEmpty ? "" : "\n" + notes)
  }

  private static func name(of build: BuildDocument) -> String {
    let others = build.names.count - 1
    if others < 1 { return build.program }
    return "\(build.program) (also \(build.names[1])\(others > 1 ? ", ..." : ""))"
  }

  /// `12 (3 windows)`.
  private static func runs(of build: BuildDocument) -> String {
    CountText.number(build.runs)
      + (build.windows.map { " (\(CountText.text($0, "window")))" } ?? "")
  }

  private static func versions(of build: BuildDocument) -> String {
    if build.versions.isEmpty { return "-" }
    return build.versions.joined(separator: " ")
      + (build.moreVersions.map { " and \(CountText.number($0)) more" } ?? "")
  }

  private static func functions(of build: BuildDocument) -> String {
    if build.hasFunctions { return "named" }
    return build.readFailure.map { "not named: \($0)" } ?? "not named yet"
  }
}

/// A fleet's times to ready as text: a row for each program, version and labels, with its stages.
package enum FleetStartupsText {
  package static func text(_ document: StartupsDocument) -> String {
    if document.startups.isEmpty { return "No start reported ready (firstlight_ready).\n" }
    var table = TextTable([.left, .left, .left, .right, .right, .right, .right, .left, .left])
    table.add("Program", "Version", "Build id", "Starts", "p50", "p90", "p99", "First", "Labels")
    for row in document.startups {
      table.add(row: cells(of: row))
      for stage in row.stages ?? [] { table.add(row: cells(of: stage)) }
    }
    return table.text()
  }

  private static func cells(of row: StartupsDocument.Row) -> [String] {
    let times = row.starts > 0 ? times(row.p50, row.p90, row.p99) : ["-", "-", "-"]
    return [
      row.program, row.version.isEmpty ? "-" : row.version,
      BuildID(row.buildID)?.short ?? row.buildID, CountText.number(row.starts),
    ] + times + [row.firstDay, row.labelText]
  }

  private static func cells(of stage: StartupsDocument.Stage) -> [String] {
    let name = LaunchStage.Kind(rawValue: stage.kind)?.title ?? stage.kind
    return ["  " + name, "", "", CountText.number(stage.starts)]
      + times(stage.p50, stage.p90, stage.p99) + ["", ""]
  }

  private static func times(_ seconds: Double...) -> [String] { seconds.map(TimeText.fine) }
}

/// The status of a daemon as text.
package enum FleetStatusText {
  package static func text(_ status: StatusDocument) -> String {
    var table = TextTable([.left, .left])
    table.add("firstlightd", "\(status.version), up since \(TimeText.moment(status.startedAt))")
    table.add("spool", status.spool ?? "none")
    table.add("store", status.sink + (status.sinkReachable ? "" : " (not reachable)"))
    if let problem = status.intakeProblem { table.add("problem", problem) }
    var waiting = "nothing"
    if status.outboxTraces > 0 {
      waiting =
        "\(CountText.text(status.outboxTraces, "row")), "
        + CountText.bytes(UInt64(clamping: status.outboxBytes))
      if let oldest = status.outboxOldestSeconds { waiting += ", oldest \(TimeText.text(oldest))" }
    }
    table.add("waiting", waiting)
    for (name, count) in status.counts.sorted(by: { $0.key < $1.key }) {
      table.add(name.text, CountText.number(count))
    }
    if let builds = status.builds { table.add("builds", CountText.number(builds)) }
    if let rows = status.coverageRows { table.add("sums", CountText.number(rows)) }
    if let sampled = status.sampledTraces { table.add("sampled traces", CountText.number(sampled)) }
    var text = table.text()
    guard !status.running.isEmpty else { return text }
    text += "\n"
    var running = TextTable([.right, .right, .left, .left, .left])
    running.add("Process", "First calls", "Started", "Ready", "Program")
    for process in status.running {
      running.add(
        "\(process.pid)", CountText.number(process.firstCalls), TimeText.moment(process.startedAt),
        process.ready ? "yes" : "-", process.path)
    }
    return text + running.text()
  }
}

/// The size of a store as text.
package enum StoreSizeText {
  package static func text(_ size: StoreSize) -> String {
    var table = TextTable([.right, .left])
    table.add(CountText.number(size.builds), size.builds == 1 ? "build" : "builds")
    table.add(CountText.number(size.rows), "rows (build x day x version x labels x host)")
    table.add(CountText.number(size.coverage), "sums (function x row)")
    table.add(CountText.number(size.sampledTraces), "sampled traces")
    return table.text()
  }
}
