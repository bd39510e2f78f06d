import DeadCode
import FirstlightModel
import FleetAPI
import FleetModel
import ReportFormats
import TextFormatting

/// A build's page: have we watched enough, what ran how often, what never ran, how fast it starts.
struct BuildPage {
  let facts: BuildPageFacts

  var text: String {
    let build = facts.build
    return PageFrame.page(
      title: build.program,
      body: Self.template.text([
        "program": build.program,
        "id": build.key.buildID.description, "shortID": build.key.buildID.short,
        "versions": build.versions.isEmpty ? nil : build.versions.joined(separator: ", "),
        "dropped": build.dropped.map { ["before": $0.before.description, "reason": $0.reason] },
        "facts": figures,
        "isNamed": build.hasFunctions,
        "failure": build.readFailure.map { " (\($0.reason))" },
        "charts": [evidence, runShare].compactMap { $0 },
        "neverCalled": neverCalled,
        "startups": startups, "stages": stages, "staleness": staleness,
      ]))
  }

  private static let template = PageTemplate(PackageResources.build_mustache)

  private var called: Int { facts.called.count }

  private var figures: String {
    let totals = facts.coverage.totals
    return FactList.text([
      (CountText.number(totals.runs), totals.runs == 1 ? "run" : "runs"),
      (
        totals.hosts > 0 ? CountText.number(totals.hosts) : "-",
        totals.hosts == 1 ? "host" : "hosts"
      ),
      (TimeText.text(totals.seconds), "observed"),
      (CountText.number(called), "of \(CountText.text(facts.functionCount, "function")) called"),
      (LossText.text(totals.losses), "lost"),
    ])
  }

  private var evidence: [String: String]? {
    let discovery = facts.discovery
    let days = discovery.keys.sorted()
    guard let last = facts.build.days?.upperBound, let first = days.first else { return nil }
    var total = 0
    var points: [(String, Double)] = []
    for number in first.number...max(first.number, min(last.number, first.number + 3650)) {
      total += discovery[FleetDay(number: number)] ?? 0
      points.append((FleetDay(number: number).description, Double(total)))
    }
    let recent = discovery.filter { $0.key.number > last.number - 7 }.values.reduce(0, +)
    let isYoung = points.count <= 7
    let verdict =
      isYoung
      ? "Recorded for \(CountText.text(points.count, "day")): too short to judge."
      : "In the last 7 days \(CountText.text(recent, "function")) of \(CountText.number(called)) "
        + "ran for the first time"
        + (recent * 100 <= called
          ? ": the curve is flat." : ": record longer before deleting functions.")
    return [
      "caption": "Functions called so far: is the recording complete?",
      "picture": Chart.line(points), "words": verdict,
    ]
  }

  private var runShare: [String: String] {
    let runs = max(1, facts.coverage.totals.runs)
    var bins = [Int](repeating: 0, count: 11)
    bins[0] = facts.functionCount - called
    for function in facts.called {
      bins[Int(min(10, 1 + (Double(function.runs) * 10 - 1) / Double(runs)))] += 1
    }
    let names = ["never"] + (1...10).map { "\($0 * 10)%" }
    return [
      "caption": "Functions by share of runs that called them",
      "picture": Chart.bars(zip(names, bins).map { ($0, Double($1)) }),
      "words": "Each bar: functions called in up to this share of "
        + "\(CountText.text(facts.coverage.totals.runs, "run")).",
    ]
  }

  private var neverCalled: String? {
    let modules = facts.neverCalled
    guard !modules.isEmpty else { return nil }
    return HTMLTable.text(
      caption: "Never called, by module", head: ["Module", "Functions", "Bytes"],
      rows: modules.prefix(20).map {
        [$0.module, CountText.number($0.functions), CountText.bytes($0.bytes)]
      }, note: notIncluded.map { "Not included: \($0)." })
  }

  private var notIncluded: String? {
    let others = [
      (Verdict.compilerGenerated, "compiler-generated"),
      (.inlined, "that may have been inlined"), (.notInstrumented, "not instrumented"),
    ].map { verdict, words in (facts.list?.report.count(verdict) ?? 0, words) }.filter { $0.0 > 0 }
    guard !others.isEmpty else { return nil }
    return others.map { "\(CountText.number($0.0)) \($0.1)" }.joined(separator: ", ")
  }

  private var startups: String? {
    let rows = facts.startups.filter { $0.starts > 0 }
    guard !rows.isEmpty else { return nil }
    let changes = StartupChange.changes(rows)
    return HTMLTable.text(
      caption: "Start-up times of \(facts.build.program)",
      head: [
        "Version", "Labels", "Build id", "Since", "Starts", "p50", "p90", "p99", "Change",
      ],
      rows: zip(rows, changes).map { row, change in
        [
          row.version.isEmpty ? "(none)" : row.version, row.labelText,
          BuildID(row.buildID)?.short ?? "", row.firstDay, CountText.number(row.starts),
          TimeText.fine(row.p50), TimeText.fine(row.p90), TimeText.fine(row.p99), change.text,
        ]
      }, leftColumns: [1, 2, 3, 8], rowClass: { changes[$0].mark })
  }

  /// Of starts that `firstlight launch` has watched.
  private var stages: String? {
    let rows = facts.startups.flatMap { row in (row.stages ?? []).map { (row, $0) } }
    guard !rows.isEmpty else { return nil }
    return HTMLTable.text(
      caption: "Stages of traced starts of \(facts.build.program)",
      head: ["Stage", "Version", "Build id", "Starts", "p50", "p90", "p99"],
      rows: rows.map { row, stage in
        [
          LaunchStage.Kind(rawValue: stage.kind).map(LaunchText.name) ?? stage.kind,
          row.version.isEmpty ? "(none)" : row.version,
          BuildID(row.buildID)?.short ?? "", CountText.number(stage.starts),
          TimeText.fine(stage.p50), TimeText.fine(stage.p90), TimeText.fine(stage.p99),
        ]
      }, leftColumns: [1, 2])
  }

  private var staleness: String? {
    guard !facts.others.isEmpty else { return nil }
    return HTMLTable.text(
      caption: "Order staleness", head: ["Build id", "Versions", "Since", "Names found"],
      rows: facts.others.map { other in
        [
          other.build.key.buildID.short, other.build.versions.joined(separator: ", "),
          other.build.days?.lowerBound.description ?? "",
          "\(Int((other.share * 1000).rounded()) / 10).\(Int((other.share * 1000).rounded()) % 10)%",
        ]
      }, leftColumns: [1, 2], rowClass: { facts.others[$0].share < 0.8 ? "worse" : "" },
      note: "Share of the names in an order from this build that each other build still has.")
  }
}
