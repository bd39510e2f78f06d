import FirstlightModel
import FleetAPI
import FleetModel
import ReportFormats
import TextFormatting

/// The first page: what is reported, and by how many.
struct BuildListPage {
  let builds: [FleetBuild]
  /// Those that retention has removed.
  let dropped: [DroppedEvidence]
  let filter: BuildFilter
  let status: StatusDocument

  var text: String {
    PageFrame.page(
      title: "Builds", body: "<h1>Builds</h1>\n" + facts + form + table + missing + footer)
  }

  private var facts: String {
    let programs = Set(builds.filter(\.isExecutable).map(\.program)).count
    var facts = [
      (CountText.number(programs), programs == 1 ? "program" : "programs"),
      (CountText.number(builds.count), builds.count == 1 ? "build" : "builds"),
      (
        CountText.number(builds.reduce(0) { $0 + $1.totals.programRuns }), "recorded runs"
      ),
      (CountText.number(builds.map(\.totals.hosts).max() ?? 0), "hosts (most of one build)"),
      (CountText.number(status.outboxTraces), "traces waiting"),
    ]
    if !status.running.isEmpty {
      facts.append((CountText.number(status.running.count), "processes recording here"))
    }
    return FactList.text(facts)
  }

  private var form: String {
    """
    <form method="get" action="/">
    <label>Program <input name="program" value="\(HTMLText.escaped(filter.program ?? ""))"></label>
    <label>Version <input name="version" value="\(HTMLText.escaped(filter.version ?? ""))"></label>
    <button>Show</button></form>

    """
  }

  private var table: String {
    if builds.isEmpty {
      return "<p>No matching builds. To add one, build a program with the flags of "
        + "<code>firstlight flags</code> and run it with <code>FIRSTLIGHT_DIR</code> set to the "
        + "daemon's spool.</p>"
    }
    var text =
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">Program</th>"
      + "<th scope=\"col\">Build id</th><th scope=\"col\">Versions</th>"
      + ["Instrumented", "Runs", "Processes", "Hosts", "Observed", "Lost"].map {
        "<th scope=\"col\" class=\"n\">\($0)</th>"
      }.joined()
      + "<th scope=\"col\">First</th><th scope=\"col\">Last</th></tr></thead>\n<tbody>\n"
    for build in builds {
      let losses = BuildDocument(build).losses
      let cells = [
        CountText.number(build.guardCount) + (build.hasFunctions ? "" : " (not named)"),
        CountText.number(build.totals.runs), CountText.number(build.totals.processes),
        CountText.number(build.totals.hosts), TimeText.text(build.totals.seconds),
        CountText.number(losses),
      ]
      let page = "/builds/\(build.key.buildID)"
      text +=
        "<tr><th scope=\"row\"><a href=\"\(page)\">\(HTMLText.escaped(build.program))</a></th>"
      text += "<td><a href=\"\(page)\">\(HTMLText.escaped(build.key.buildID.short))</a></td>"
      text += "<td>\(HTMLText.escaped(build.versions.joined(separator: ", ")))</td>"
      text += cells.map { "<td class=\"n\">\(HTMLText.escaped($0))</td>" }.joined()
      text += "<td>\(build.days?.lowerBound.description ?? "")</td>"
      text += "<td>\(build.days?.upperBound.description ?? "")</td></tr>\n"
    }
    return text + "</tbody></table></div>\n"
  }

  /// What retention has removed, a line for each build.
  private var missing: String {
    let lines = builds.compactMap(\.dropped) + dropped
    return lines.map(\.sentence).map { "<p class=\"small\">\(HTMLText.escaped($0))</p>\n" }.joined()
  }

  private var footer: String {
    "<p class=\"small\">firstlightd \(HTMLText.escaped(status.version)), up since "
      + "\(TimeText.moment(status.startedAt)), store \(HTMLText.escaped(status.sink)). "
      + "<a href=\"/metrics\">Metrics</a>, <a href=\"/v1/openapi.json\">API</a>.</p>"
  }
}
