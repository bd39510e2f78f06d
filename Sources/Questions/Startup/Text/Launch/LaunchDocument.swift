import FirstlightModel
import Reports
import SystemSupport

extension StartupReport {
  /// - Parameters:
  ///   - calls: the timeline of the start with traced calls; nil: there was none.
  ///   - showsAll: whether to show more than the slowest rows of each kind.
  package func document(calls timeline: Timeline? = nil, showsAll: Bool = false) -> Document {
    let most = showsAll ? Int.max : 5
    var blocks = head.map { Document.Block.lines($0) }
    if !watched.isEmpty {
      blocks += [stages, initializers(most), images(most)].compactMap { table in
        table.map { .table($0) }
      }
      if showsAll, let relocationLine { blocks.append(.paragraph([relocationLine])) }
    }
    if let tree = calls, let timeline {
      let count =
        "First calls: \(CountText.number(tree.calls.count)) of "
        + "\(CountText.number(tree.functionCount)) functions"
      blocks.append(
        .paragraph([count] + (showsAll ? [TimelineSentences.scaled(tree.scale) + "."] : [])))
      blocks +=
        TimelineDocument(
          timeline: timeline, limit: showsAll ? 0 : most, showingAll: "--all",
          hidesStartFiles: !showsAll
        ).calls
    }
    if let lookups { blocks += lookups.blocks(most) }
    if !conditions.notes.isEmpty { blocks.append(.paragraph(conditions.notes)) }
    if let advice = LaunchAdvice.text(self) { blocks.append(.paragraph([advice])) }
    return Document(blocks)
  }

  private var head: [[String]] {
    let command = ShellText.line(command)
    if let failure { return [["\(command) did not start up: \(failure)"]] }
    let range =
      "median of \(CountText.text(wall.count, "start")), "
      + "\(Self.milliseconds(wall.quantile(0))) to \(Self.milliseconds(wall.quantile(1))) ms"
    return [
      (tracedDifference.map { [$0] } ?? []) + [
        "\(command): \(Self.milliseconds(wall.median)) ms from exec to \(conditions.until), "
          + "\(conditions.isCold ? "cold" : "warm")",
        range + (source.isEmpty ? "" : "; \(source)"),
      ]
    ]
  }

  /// Short starts have microseconds.
  private var isShort: Bool { failure == nil && wall.median < 0.01 }

  private var unit: String { isShort ? "µs" : "ms" }

  private func time(_ seconds: Double) -> String {
    isShort ? NumberText.decimal(seconds * 1e6, digits: 0) : Self.milliseconds(seconds)
  }

  static func milliseconds(_ seconds: Double) -> String {
    NumberText.decimal(seconds * 1000, digits: 2)
  }

  private var stages: Document.Table {
    func iqr(_ sample: Sample) -> String {
      "\(time(sample.quantile(0.25)))-\(time(sample.quantile(0.75)))"
    }
    let rows = stageRows.filter {
      time($0.duration.median) != time(0) || Int($0.minorFaults.median) > 0
    }
    var notes: [String] = []
    if failure == nil, let share {
      notes.append("The stages add up to \(percent(share)) of the time of untraced starts.")
    }
    if failure == nil, Self.isTooNoisy(wall) == true {
      notes.append(
        "Too noisy: untraced starts differ so much that 5% of their time cannot be seen. Use more --runs, or a "
          + "machine with less other load.")
    }
    return Document.Table(
      nil,
      [
        .text("Stage"), .number("median \(unit)"), .number("IQR \(unit)", drop: 2),
        .number("share"), .number("minor faults"),
        .number("major faults", drop: conditions.isCold ? 1 : 4), .text("", drop: 3),
      ],
      rows.map {
        [
          $0.kind.title, time($0.duration.median), iqr($0.duration), percent($0.share),
          count($0.minorFaults), count($0.majorFaults), $0.kind.meaning,
        ]
      } + [["all stages", time(sum), "", "", "", "", ""], tracingRow].compactMap { $0 },
      notes: notes)
  }

  /// What the stops cost; nil if nothing was measured.
  private var tracingRow: [String]? {
    guard failure == nil, tracing.count > 0, time(tracing.median) != time(0) else { return nil }
    let stops = Sample(watched.map { Double($0.stops) })
    return [
      "tracing", time(tracing.median), "", "", "", "",
      "cost of \(CountText.text(Int(clamping: stops.median), "stop")), not in the stages",
    ]
  }

  /// Shorter initializers, in seconds, are shown as a sum.
  private static let least = 0.000_02

  private func initializers(_ most: Int) -> Document.Table? {
    let rows = initializerRows
    guard !rows.isEmpty else { return nil }
    let shown = rows.filter { most == .max || $0.isTheProgramsOwn }.prefix(most).filter {
      $0.duration.count == 0 || $0.duration.median >= Self.least
    }
    let rest = rows.count - shown.count
    func sum(_ rows: some Sequence<InitializerRow>) -> Double {
      rows.reduce(0) { $0 + ($1.duration.count > 0 ? $1.duration.median : 0) }
    }
    let who =
      shown.isEmpty
      ? "none takes longer than \(time(Self.least)) \(unit)" : CountText.text(rest, "other")
    return Document.Table(
      "Initializers, worst first (\(rows.count) in total)",
      [
        .number(unit), .number("minor faults", drop: 2), .number("major faults", drop: 3),
        .number("order", drop: 4),
        .text("binary"), .text("function"),
      ],
      shown.map { row in
        [
          row.duration.count == 0 ? "no return" : time(row.duration.median),
          count(row.minorFaults), count(row.majorFaults), "\(row.order)", BaseName.of(row.image),
          row.name.isEmpty
            ? "at 0x" + String(row.address, radix: 16)
            : FunctionIdentity(name: row.name, demangled: names[row.name] ?? row.name).shownName,
        ]
      }, notes: rest > 0 ? ["\(who): \(time(sum(rows) - sum(shown))) \(unit) together"] : [])
  }

  private func images(_ most: Int) -> Document.Table? {
    let rows = imageRows
    guard rows.count > 1 || rows.contains(where: { $0.median > 0 }) else { return nil }
    func text(_ sample: Sample) -> String { sample.count == 0 ? "-" : time(sample.median) }
    let shown = rows.prefix(most).filter { most == .max || $0.median >= Self.least }
    let rest = rows.dropFirst(shown.count)
    return Document.Table(
      "Binaries, worst first (\(rows.count) in total)",
      [
        .number("mapping \(unit)"), .number("relocating \(unit)"),
        .number("relocations", drop: 1), .text("binary"), .text("", optional: true),
      ],
      shown.map {
        [
          text($0.mapping), text($0.relocating),
          $0.relocations.map { CountText.number($0) } ?? "?", $0.path,
          $0.isLoadedLater ? "loaded by the program (dlopen)" : "",
        ]
      },
      notes: rest.isEmpty
        ? []
        : [
          "\(CountText.text(rest.count, "other")): "
            + "\(time(rest.reduce(0) { $0 + $1.median })) \(unit) together"
        ])
  }

  private var relocationLine: String? {
    var counts: [TextBytes: Int] = [:]
    for image in relocations { counts.merge(image.counts, uniquingKeysWith: +) }
    guard !counts.isEmpty else { return nil }
    let packed = relocations.reduce(0) { $0 + $1.packed }
    let kinds = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
      .map { "\(CountText.number($0.value)) \($0.key)" }
    return "Relocations: \(kinds.joined(separator: ", "))"
      + (packed > 0 ? "; \(CountText.number(packed)) packed" : "")
  }

  private func percent(_ share: Double) -> String {
    NumberText.decimal(share * 100, digits: 1) + "%"
  }

  private func count(_ sample: Sample) -> String { CountText.number(Int(clamping: sample.median)) }
}

extension LaunchStage.Kind {
  fileprivate var meaning: String {
    switch self {
    case .exec: "the kernel sets up the process"
    case .earlier: "programs that the process ran before this one"
    case .mapping: "the loader finds and maps libraries"
    case .relocating: "the loader relocates and binds symbols"
    case .initializers: "code that runs before main"
    case .main: "from main on"
    case .unknown: "unknown start of main"
    }
  }
}
