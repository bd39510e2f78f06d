import FirstlightModel
import FleetAPI
import FleetModel
import HTMLPages
import TextFormatting

/// The first page: what is reported, and by how many.
struct BuildListPage {
  let builds: [FleetBuild]
  /// Those that retention has removed.
  let dropped: [DroppedEvidence]
  let filter: BuildFilter
  let status: StatusDocument

  var text: String {
    let missing = builds.compactMap(\.dropped) + dropped
    return PageFrame.page(
      title: "Builds",
      body: Self.template.text([
        "facts": facts, "program": filter.program ?? "", "version": filter.version ?? "",
        "isEmpty": builds.isEmpty, "builds": builds.map(Self.row),
        "missing": missing.map(\.sentence), "daemonVersion": status.version,
        "since": TimeText.moment(status.startedAt), "store": status.sink,
      ]))
  }

  private static let template = PageTemplate(PackageResources.build_list_mustache)

  private var facts: String {
    let programs = Set(builds.filter(\.isExecutable).map(\.program)).count
    var facts = [
      (CountText.number(programs), programs == 1 ? "program" : "programs"),
      (CountText.number(builds.count), builds.count == 1 ? "build" : "builds"),
      (
        CountText.number(builds.reduce(0) { $0 + $1.totals.programRuns }), "recorded runs"
      ),
      (CountText.number(builds.map(\.totals.hosts).max() ?? 0), "hosts (most of one build)"),
      (CountText.number(status.outboxTraces), "rows waiting"),
    ]
    if !status.running.isEmpty {
      facts.append((CountText.number(status.running.count), "processes recording here"))
    }
    return FactList.text(facts)
  }

  private static func row(_ build: FleetBuild) -> [String: Any] {
    [
      "id": build.key.buildID.description, "shortID": build.key.buildID.short,
      "program": build.program, "versions": build.versions.joined(separator: ", "),
      "numbers": [
        CountText.number(build.guardCount) + (build.hasFunctions ? "" : " (not named)"),
        CountText.number(build.totals.runs), CountText.number(build.totals.processes),
        CountText.number(build.totals.hosts), TimeText.text(build.totals.seconds),
        CountText.number(BuildDocument(build).losses),
      ],
      "first": build.days?.lowerBound.description ?? "",
      "last": build.days?.upperBound.description ?? "",
    ]
  }
}
