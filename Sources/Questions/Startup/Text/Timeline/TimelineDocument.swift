import FirstlightModel
import Reports
import SystemSupport

/// A timeline for a terminal: stages, initializers, marks, the slowest functions and the tree of first calls,
/// slowest first.
struct TimelineDocument {
  typealias Table = Document.Table

  let timeline: Timeline
  /// Rows of each table, 0 for all.
  let limit: Int
  /// The option that shows the others.
  var showingAll = "--limit 0"
  /// Whether the slowest calls are without those of the C runtime's start files.
  var hidesStartFiles = false

  var document: Document {
    var blocks: [Document.Block] = [
      .title(TimelineSentences.title(timeline)), .lines(TimelineSentences.notes(timeline)),
    ]
    for (index, process) in timeline.processes.enumerated() {
      let threads = timeline.threads.count { $0.process == index }
      blocks.append(
        .paragraph([
          "\(process.name): \(TimelineSentences.process(process, threads: threads))"
        ]))
      let calls =
        process.hasReturns
        ? [slowest(spans(index).filter { !timeline.spans[$0].isMoment }, process)]
        : [quietTimes(index, process), firstCalls(index, process)]
      blocks += ([stages(process), initializers(index), marks(index, process)] + calls)
        .compactMap { table in table.map { .table($0) } }
    }
    let tree = timeline.startupTree()
    return Document(blocks + (tree.unit == .nanoseconds ? [.table(table(tree))] : []))
  }

  /// The marks and the slowest first calls of the process whose start-up was watched; the tree, if all is shown.
  var calls: [Document.Block] {
    guard let index = timeline.processes.firstIndex(where: { !$0.stages.isEmpty }) else {
      return []
    }
    let process = timeline.processes[index]
    // The first lines of a tree are the way to main.
    let tree = limit == 0 ? table(timeline.startupTree()) : nil
    let all = spans(index).filter { timeline.spans[$0].isFirstCall }
    let slowest = slowest(
      all.filter { !hidesStartFiles || !isOfStartFile($0) }, process, of: all.count)
    return [marks(index, process), slowest, tree].compactMap { table in
      table.map { .table($0) }
    }
  }

  private func stages(_ process: TimelineProcess) -> Table? {
    table(
      "Stages", process.stages,
      [
        .number("at ms"), .number("took ms"), .number("minor faults", optional: true),
        .number("major", optional: true), .text("stage"),
      ]
    ) { stage in
      [
        at(stage.start, process), ms(stage.duration), CountText.number(Int(stage.minorFaults)),
        CountText.number(Int(stage.majorFaults)), stage.kind.title,
      ]
    }
  }

  private func initializers(_ process: Int) -> Table? {
    table(
      "Initializers, slowest first",
      spans(process).filter { timeline.spans[$0].isInitializer }
        .sorted { longer($0, $1) { $0.length } },
      [
        .number("took ms"), .number("minor faults", drop: 1, optional: true),
        .number("major", drop: 2, optional: true), .text("binary"), .text("initializer"),
      ], noun: "initializer"
    ) { index in
      let span = timeline.spans[index]
      return [
        TimelineSentences.duration(span.duration), CountText.number(Int(span.minorFaults)),
        CountText.number(Int(span.majorFaults)), timeline.functions[span.function].image,
        name(index),
      ]
    }
  }

  private func marks(_ index: Int, _ process: TimelineProcess) -> Table? {
    table(
      "Marks and spans", timeline.marks.filter { timeline.threads[$0.thread].process == index },
      [.number("at ms"), .number("took ms"), .text("thread", drop: 1), .text("mark or span")],
      noun: "mark"
    ) { mark in
      let took =
        switch mark.kind {
        case .mark: ""
        case .span(let duration): duration.map(ms) ?? "not ended"
        }
      return [at(mark.start, process), took, timeline.threads[mark.thread].name, mark.name]
    }
  }

  private func isOfStartFile(_ span: Int) -> Bool {
    FunctionIdentity.isOfStartFile(timeline.functions[timeline.spans[span].function].linkerName)
  }

  /// - Parameter total: the number of the spans with those that the caller left out; nil: it left out none.
  private func slowest(_ spans: [Int], _ process: TimelineProcess, of total: Int? = nil) -> Table? {
    table(
      "Slowest first calls (self: without the first calls they made)",
      spans.sorted { longer($0, $1) { $0.selfTime } },
      [
        .number("self ms"), .number("total ms"), .number("at ms", drop: 2),
        .number("faults", drop: 3, optional: true), .text("place", drop: 1), .code("function"),
      ], noun: "first call", of: total
    ) { index in
      let span = timeline.spans[index]
      return [
        TimelineSentences.selfTime(span), TimelineSentences.duration(span.duration),
        at(span.start, process), CountText.number(Int(span.minorFaults + span.majorFaults)),
        TimelineSentences.shortPlace(timeline.functions[span.function]), name(index),
      ]
    }
  }

  private func quietTimes(_ index: Int, _ process: TimelineProcess) -> Table? {
    table(
      "Longest gaps without a new function", timeline.quietTimes(of: index),
      [
        .number("ms"), .number("from ms", drop: 1), .text("after the first call of"),
        .text("until the first call of"),
      ], noun: "shorter one", most: 10
    ) { quiet in
      [
        ms(quiet.duration), at(timeline.spans[quiet.after].start, process),
        TimelineSentences.short(name(quiet.after), 60),
        quiet.before.map(name)
          ?? (process.ready == process.end ? "(ready)" : "(end of the recording)"),
      ]
    }
  }

  private func firstCalls(_ index: Int, _ process: TimelineProcess) -> Table? {
    table(
      "First calls in order",
      spans(index).filter { !timeline.spans[$0].isInitializer }
        .sorted { (timeline.spans[$0].start, $0) < (timeline.spans[$1].start, $1) },
      [.number("at ms"), .text("thread", drop: 2), .text("place", drop: 1), .code("function")],
      noun: "first call"
    ) { index in
      let span = timeline.spans[index]
      return [
        at(span.start, process), timeline.threads[span.thread].name,
        TimelineSentences.shortPlace(timeline.functions[span.function]), name(index),
      ]
    }
  }

  /// The start-up tree as indented lines, heaviest branch first, without light branches.
  private func table(_ tree: StartupTree) -> Table {
    // A node weighs no more than its parent, so the kept nodes are connected.
    let byWeight = tree.nodes.indices.sorted {
      (tree.nodes[$1].total, $0) < (tree.nodes[$0].total, $1)
    }
    let kept = Set(limit == 0 ? byWeight[...] : byWeight.prefix(limit))
    var rows: [[String]] = []
    let children = tree.children()
    // Pairs of node and depth; the next pair is the last.
    var open = children[tree.nodes.count].reversed().map { ($0, 0) }
    while let (index, depth) = open.popLast() {
      guard kept.contains(index) else { continue }
      let node = tree.nodes[index]
      rows.append([
        ms(node.total), ms(node.weight),
        String(repeating: "  ", count: min(depth, 40))
          + TimelineSentences.shortName(node.frame, in: timeline),
      ])
      open += children[index].reversed().map { ($0, depth + 1) }
    }
    let left = byWeight.dropFirst(kept.count)
    return Table(
      "Start-up tree, heaviest branch first",
      [.number("total ms"), .number("self ms"), .text("in")], rows,
      notes: left.first.map {
        [
          "and \(CountText.text(left.count, "more line")) of at most \(ms(tree.nodes[$0].total)) ms; "
            + "\(showingAll) shows all"
        ]
      } ?? [])
  }

  /// Nil: there is nothing to list.
  private func table<Row>(
    _ caption: String, _ rows: [Row], _ columns: [Table.Column], noun: String = "stage",
    most: Int = .max, of total: Int? = nil, _ cells: (Row) -> [String]
  ) -> Table? {
    guard !rows.isEmpty else { return nil }
    let shown = limit == 0 ? rows[...] : rows.prefix(min(limit, most))
    let rest = (total ?? rows.count) - shown.count
    return Table(
      caption, columns, shown.map(cells),
      notes: rest > 0
        ? ["and \(CountText.text(rest, "more " + noun)); \(showingAll) shows all"] : [])
  }

  private func spans(_ process: Int) -> [Int] {
    timeline.threads.filter { $0.process == process }.flatMap { Array($0.spans) }
  }

  private func longer(_ a: Int, _ b: Int, _ length: (TimelineSpan) -> UInt64) -> Bool {
    (length(timeline.spans[b]), a) < (length(timeline.spans[a]), b)
  }

  private func name(_ span: Int) -> String {
    TimelineSentences.shortName(timeline.spans[span], in: timeline)
  }

  private func ms(_ time: UInt64) -> String { TimelineSentences.milliseconds(time) }

  private func at(_ time: UInt64, _ process: TimelineProcess) -> String {
    ms(time - min(time, process.start))
  }
}
