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
