import FirstlightModel
import TextFormatting

/// A fleet's builds as text: a row for each, and what retention has removed of them.
package enum FleetBuildsText {
  package static func text(_ document: BuildsDocument) -> String {
    let missing = document.missingEvidence.map { $0 + "\n" }.joined()
    if document.builds.isEmpty { return "No builds.\n" + missing }
    var table = TextTable([.left, .left, .left, .right, .right, .right, .left, .left, .left])
    table.add(
      "Program", "Version", "Build id", "Instrumented", "Runs", "Hosts", "First", "Last",
      "Functions")
    for build in document.builds {
      table.add(
        build.program, build.versions.isEmpty ? "-" : build.versions.joined(separator: " "),
        BuildID(build.buildID)?.short ?? build.buildID, CountText.number(build.guards),
        CountText.number(build.runs), build.hosts > 0 ? CountText.number(build.hosts) : "-",
        build.firstDay ?? "-", build.lastDay ?? "-", functions(of: build))
    }
    return table.text() + (missing.isEmpty ? "" : "\n" + missing)
  }

  private static func functions(of build: BuildDocument) -> String {
    if build.hasFunctions { return "named" }
    return build.readFailure.map { "not named: \($0)" } ?? "not named yet"
  }
}
