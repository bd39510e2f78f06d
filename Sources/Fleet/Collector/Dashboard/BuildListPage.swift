import FirstlightModel
import FleetModel
import Reports
import SystemSupport

/// The first page: the programs and builds that report, with the number of reporting hosts.
struct BuildListPage {
  let builds: [FleetBuild]
  /// Builds that retention has removed.
  let dropped: [DroppedEvidence]
  let filter: FleetQuery
  let status: StatusDocument

  var text: String {
    let missing = builds.compactMap(\.dropped) + dropped
    return PageFrame.page(
      title: "Builds",
      body: """
        <h1>Builds</h1>
        \(facts)<form method="get" action="/">
        <label>Program <input name="program" value="\(filter.program ?? "")"></label>
        <label>Version <input name="version" value="\(filter.version ?? "")"></label>
        <button>Show</button></form>
        \(builds.isEmpty ? Self.none : table)\
        \(missing.map { "<p class=\"small\">\($0.sentence)</p>\n" })\
        <p class="small">firstlightd \(status.version), \
        up since \(TimeText.moment(status.startedAt)), store \(status.sink). \
        <a href="/metrics">Metrics</a>, <a href="/v1/openapi.json">API</a>.</p>

        """)
  }

  private static let none: HTML = """
    <p>No matching builds. To add one, build a program with the flags of \
    <code>firstlight flags</code> and run it with <code>FIRSTLIGHT_DIR</code> set to the daemon's \
    spool.</p>

    """

  private var table: HTML {
    let number: HTML = " class=\"n\""
    let head = [
      ("Program", nil), ("Build id", nil), ("Versions", nil), ("Names", nil),
      ("Runs", number), ("Processes", number), ("Hosts", number), ("Observed", number),
      ("Lost", number), ("First", nil), ("Last", nil),
    ]
    return """
      <div class="scroll" tabindex="0"><table>\
      <thead><tr>\(head.map { "<th scope=\"col\"\($1)>\($0)</th>" })</tr></thead>
      <tbody>
      \(builds.map(Self.row))</tbody></table></div>

      """
  }

  private var facts: HTML {
    let programs = Set(builds.filter(\.isExecutable).map(\.program)).count
    var facts = [
      (CountText.number(programs), programs == 1 ? "program" : "programs"),
      (CountText.number(builds.count), builds.count == 1 ? "binary" : "binaries"),
      (
        CountText.number(builds.reduce(0) { $0.addingClamped($1.totals.programRuns) }),
        "recorded runs"
      ),
      (CountText.number(builds.map(\.totals.hosts).max() ?? 0), "hosts (most of one build)"),
      (CountText.number(status.outboxTraces), "rows waiting"),
    ]
    if !status.running.isEmpty {
      facts.append((CountText.number(status.running.count), "processes recording here"))
    }
    return FactList.html(facts)
  }

  private static func row(_ build: FleetBuild) -> HTML {
    let link = "/builds/\(build.key.buildID)"
    let numbers = [
      CountText.number(build.totals.runs), CountText.number(build.totals.processes),
      CountText.number(build.totals.hosts), TimeText.text(build.totals.seconds),
      CountText.number(BuildDocument(build).losses),
    ]
    return """
      <tr><th scope="row"><a href="\(link)">\(build.program)</a></th>\
      <td><a href="\(link)">\(build.key.buildID.short)</a></td>\
      <td>\(build.versions.text)</td>\
      <td>\(build.hasFunctions ? "named" : "not named")</td>\
      \(numbers.map { "<td class=\"n\">\($0)</td>" })\
      <td>\(build.days?.lowerBound.description ?? "")</td>\
      <td>\(build.days?.upperBound.description ?? "")</td></tr>

      """
  }
}
