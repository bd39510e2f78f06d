import FirstlightModel
import FleetModel
import ReportFormats
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

/// The change of start-up times from the previous version (by first day) with the same labels.
struct StartupChange {
  var text: String
  /// The CSS class of the row.
  var mark: String

  /// A change is marked if p90 moved by more than this share, which is four times the width of a histogram's
  /// bucket, and if both versions have enough starts for a meaningful p90.
  static let threshold = 0.2
  static let leastStarts = 30

  static func changes(_ rows: [StartupsDocument.Row]) -> [StartupChange] {
    let previous = previous(rows)
    return rows.indices.map { place in
      let row = rows[place]
      let before = previous[place].map { rows[$0] }
      guard let before else { return StartupChange(text: "", mark: "") }
      guard before.starts >= leastStarts, row.starts >= leastStarts, before.p90 > 0 else {
        return StartupChange(text: "too few starts", mark: "")
      }
      let change = row.p90 / before.p90 - 1
      let percent = CountText.number(Int(clamping: (abs(change) * 100).rounded()))
      if change > threshold { return StartupChange(text: "p90 \(percent)% slower", mark: "worse") }
      if change < -threshold {
        return StartupChange(text: "p90 \(percent)% faster", mark: "better")
      }
      return StartupChange(text: "no difference beyond \(Int(threshold * 100))%", mark: "")
    }
  }
  /// For each row the last one before it with the same labels, but of another build or version.
  private static func previous(_ rows: [StartupsDocument.Row]) -> [Int?] {
    struct Group: Hashable {
      @TextBytes var program: String
      var labels: [TextBytes: TextBytes]
    }
    var previous = [Int?](repeating: nil, count: rows.count)
    let groups = Dictionary(grouping: rows.indices) {
      Group(program: rows[$0].program, labels: rows[$0].labels.mapValues { TextBytes($0) })
    }
    for places in groups.values {
      let sorted = places.sorted {
        (rows[$0].firstDay, rows[$0].version) < (rows[$1].firstDay, rows[$1].version)
      }
      // Rows of equal days and versions do not precede each other.
      var (first, last): (Int, Int?) = (0, nil)
      for (number, place) in sorted.enumerated() {
        let start = rows[sorted[first]]
        if start.firstDay != rows[place].firstDay || start.version != rows[place].version {
          (first, last) = (number, sorted[number - 1])
        }
        previous[place] = last
      }
    }
    return previous
  }
}
