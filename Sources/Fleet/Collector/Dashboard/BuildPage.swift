import FirstlightModel
import FleetModel
import NeverCalled
import Reports
import SystemSupport

/// A build's page: the number of runs, run shares, never-called functions and start-up times.
struct BuildPage {
  let facts: BuildPageFacts

  var text: String {
    let build = facts.build
    let versions = build.versions.text
    return PageFrame.page(
      title: build.program,
      body: """
        <h1>\(build.program)</h1>
        <p class="small">build id \(build.key.buildID.description)\(versions.isEmpty ? "" : ", version " + versions)\(otherNames)</p>
        \(contradiction)\(dropped)\(contest)\(crowded)\(figures)
        \(links)<div class="charts">\(evidence)\(runShare)</div>
        \(neverCalled)
        \(startups.map { "<div class=\"startups\">\($0)</div>\n" })\(stages)
        \(staleness)

        """)
  }

  /// Copies of the file under other names.
  private var otherNames: String {
    let others = facts.build.names.sorted.dropFirst().prefix(8)
    return others.isEmpty ? "" : ", also run as " + others.joined(separator: ", ")
  }

  private var contradiction: HTML? {
    facts.build.contradiction.map { "<p>Another file of this build id, on \($0.sentence)</p>\n" }
  }

  private var dropped: HTML? {
    facts.build.dropped.map {
      """
      <p>Evidence from before \($0.before.description) was removed by \($0.reason): \
      these figures do not include it.</p>

      """
    }
  }

  private var crowded: HTML? {
    SeriesRoom.sentence(facts.crowdedDays).map { "<p><strong>\($0).</strong></p>\n" }
  }

  private var contest: HTML? { facts.build.contest.map { "<p><strong>\($0).</strong></p>\n" } }

  private var links: HTML {
    let build = facts.build
    let id = build.key.buildID.description
    guard build.hasFunctions else {
      return """
        <p>No function names yet\(build.readFailure.map { " (\($0.reason))" } ?? ""). \
        Send the binary: <code>firstlight upload-symbols BINARY --to URL</code></p>

        """
    }
    return """
      <p><a href="/v1/order?build-id=\(id)">Order for lld</a> &middot; \
      <a href="/v1/dead?build-id=\(id)&amp;format=html">Never called</a> &middot; \
      <a href="/v1/profile?build-id=\(id)" download="\(build.key.buildID.short).flp">Profile</a></p>

      """
  }

  private var called: Int { facts.called.count }

  /// Runs that were recorded from their start, and windows of watching.
  private var counts: [(count: Int, noun: String)] {
    let totals = facts.coverage.totals
    let windows = min(totals.windows, totals.runs)
    let all = [(totals.runs - windows, "run"), (windows, "window")]
    return windows == 0 ? [all[0]] : all.filter { $0.0 > 0 }
  }

  /// `3 runs and 1 window`.
  private var countText: String {
    counts.map { CountText.text($0.count, $0.noun) }.joined(separator: " and ")
  }

  private var figures: HTML {
    let totals = facts.coverage.totals
    let hosts = (CountText.number(totals.hosts), totals.hosts == 1 ? "host" : "hosts")
    return FactList.html(
      counts.map { (CountText.number($0.count), $0.count == 1 ? $0.noun : $0.noun + "s") }
        // Uploaded profiles count no hosts.
        + (totals.hosts > 0 ? [hosts] : []) + [
          (TimeText.text(totals.seconds), "observed"),
          (
            CountText.number(called), "of \(CountText.text(facts.functionCount, "function")) called"
          ),
          (LossText.text(totals.losses), "lost"),
        ])
  }

  private var evidence: HTML? {
    let discovery = facts.discovery
    // What ran before a clock was set is part of the first day's height.
    guard let first = discovery.keys.filter({ $0 != .undated }).min(),
      let last = [facts.build.days?.upperBound, discovery.keys.max()].compactMap(\.self).max()
    else { return nil }
    let start = FleetDay(number: max(first.number, last.number - Self.mostDays))
    var total = discovery.filter { $0.key < start }.values.reduce(0, +)
    var points: [(String, Double)] = []
    for number in start.number...last.number {
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
    return Chart.figure(
      Chart.line(points), caption: "Functions called so far: is the recording complete?",
      words: verdict)
  }

  private var runShare: HTML {
    let runs = max(1, facts.coverage.totals.runs)
    var bins = [Int](repeating: 0, count: 11)
    bins[0] = facts.functionCount - called
    for function in facts.called {
      bins[Int(min(10, 1 + (Double(function.runs) * 10 - 1) / Double(runs)))] += 1
    }
    let names = ["never"] + (1...10).map { "\($0 * 10)%" }
    return Chart.figure(
      Chart.bars(zip(names, bins).map { ($0, Double($1)) }),
      caption:
        "Functions by share of \(counts.map { $0.noun + "s" }.joined(separator: " and ")) that called them",
      words: "Each bar: functions called in up to this share of \(countText).")
  }

  private var neverCalled: HTML? {
    let modules = facts.neverCalled
    guard !modules.isEmpty else { return nil }
    return HTMLTable.html(
      caption: "Never called, by module", head: ["Module", "Functions", "Bytes"],
      rows: modules.prefix(20).map {
        [$0.module, CountText.number($0.functions), CountText.bytes($0.bytes)]
      }, note: notes)
  }

  private var notes: String? {
    var notes = notIncluded.map { ["Not included: \($0)."] } ?? []
    if facts.hasSwift { notes.append("Note: \(FleetAnswers.withoutSources).") }
    return notes.isEmpty ? nil : notes.joined(separator: " ")
  }

  private var notIncluded: String? {
    let others = [
      (Verdict.compilerGenerated, "compiler-generated"),
      (.inlined, "that may have been inlined"), (.notInstrumented, "not instrumented"),
      (.notCalledWhileWatched, "not called while watched"),
    ].map { verdict, words in (facts.list?.report.count(verdict) ?? 0, words) }.filter { $0.0 > 0 }
    guard !others.isEmpty else { return nil }
    return others.map { "\(CountText.number($0.0)) \($0.1)" }.joined(separator: ", ")
  }

  private var startups: HTML? {
    let all = facts.startups.filter { $0.starts > 0 }
    guard !all.isEmpty else { return nil }
    let (rows, changes) = Self.shown(all)
    return HTMLTable.html(
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
      }, leftColumns: [1, 2, 3, 8], rowClass: { changes[$0].mark },
      note: all.count > rows.count
        ? "The \(rows.count) of \(CountText.number(all.count)) rows with most starts; "
          + "firstlight fleet startups lists all." : nil)
  }

  /// Most rows of a table.
  private static let mostRows = 100
  /// Most days of a chart, the last ones.
  private static let mostDays: Int32 = 3650

  /// The rows with most starts, in their order, and the change of each from the row before it among all.
  private static func shown(
    _ all: [StartupsDocument.Row]
  ) -> (rows: [StartupsDocument.Row], changes: [StartupChange]) {
    let changes = StartupChange.changes(all)
    let places = all.indices.sorted { all[$0].starts > all[$1].starts }.prefix(mostRows).sorted()
    return (places.map { all[$0] }, places.map { changes[$0] })
  }

  /// The stages of starts that `firstlight launch` measured.
  private var stages: HTML? {
    let rows = facts.startups.filter { $0.stages != nil }.prefix(Self.mostRows)
      .flatMap { row in (row.stages ?? []).map { (row, $0) } }
    guard !rows.isEmpty else { return nil }
    return HTMLTable.html(
      caption: "Stages of traced starts of \(facts.build.program)",
      head: ["Stage", "Version", "Build id", "Starts", "p50", "p90", "p99"],
      rows: rows.map { row, stage in
        [
          LaunchStage.Kind(rawValue: stage.kind)?.title ?? stage.kind,
          row.version.isEmpty ? "(none)" : row.version,
          BuildID(row.buildID)?.short ?? "", CountText.number(stage.starts),
          TimeText.fine(stage.p50), TimeText.fine(stage.p90), TimeText.fine(stage.p99),
        ]
      }, leftColumns: [1, 2])
  }

  private var staleness: HTML? {
    guard !facts.others.isEmpty else { return nil }
    return HTMLTable.html(
      caption: "Order staleness", head: ["Build id", "Versions", "Since", "Names found"],
      rows: facts.others.map { other in
        [
          other.build.key.buildID.short, other.build.versions.text,
          other.build.days?.lowerBound.description ?? "",
          "\(Int((other.share * 1000).rounded()) / 10).\(Int((other.share * 1000).rounded()) % 10)%",
        ]
      }, leftColumns: [1, 2], rowClass: { facts.others[$0].share < 0.8 ? "worse" : "" },
      note: "Share of the names in an order from this build that each other build still has.")
  }
}
