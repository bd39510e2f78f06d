import FirstlightModel
import StartupReport
import SystemSupport

/// A timeline as text for a terminal: stages, initializers, marks, the slowest functions and the tree of first
/// calls, slowest first.
struct TimelineText {
  let timeline: Timeline
  /// Rows of each table, 0 for all.
  let limit: Int
  /// The option that shows the others.
  var showingAll = "--limit 0"

  var text: String {
    var text = TimelineSentences.title(timeline) + "\n"
    for note in TimelineSentences.notes(timeline) { text += note + "\n" }
    let tree = timeline.startupTree()
    for (index, process) in timeline.processes.enumerated() {
      let threads = timeline.threads.count { $0.process == index }
      let head = TimelineSentences.process(process, threads: threads)
      text += "\n\(process.name): \(head)\n"
      text += stages(process)
      text += initializers(index)
      text += marks(index, process)
      if process.hasReturns {
        text += slowest(index, process)
      } else {
        text += quietTimes(index, process)
        text += firstCalls(index, process)
      }
    }
    if tree.unit == .nanoseconds {
      text +=
        TimelineTreeText(
          timeline: timeline, tree: tree, limit: limit, showingAll: showingAll
        ).text
    }
    return text
  }

  /// The marks and the slowest calls of the process whose start-up was watched; the tree, if all is shown.
  var calls: String {
    guard let index = timeline.processes.firstIndex(where: { !$0.stages.isEmpty }) else {
      return ""
    }
    let process = timeline.processes[index]
    let text = marks(index, process) + slowest(index, process)
    // The first lines of a tree are the way to main.
    guard limit == 0 else { return text }
    return text
      + TimelineTreeText(timeline: timeline, tree: timeline.startupTree(), limit: limit).text
  }

  private func stages(_ process: TimelineProcess) -> String {
    guard !process.stages.isEmpty else { return "" }
    var table = TextTable([.right, .right, .right, .right, .left])
    table.add("at ms", "took ms", "minor faults", "major", "stage")
    for stage in process.stages {
      table.add(
        at(stage.start, process), ms(stage.duration), CountText.number(Int(stage.minorFaults)),
        CountText.number(Int(stage.majorFaults)), LaunchText.name(stage.kind))
    }
    return "\nStages\n" + table.text(indent: "  ")
  }

  private func initializers(_ process: Int) -> String {
    let found = spans(process).filter { timeline.spans[$0].isInitializer }
      .sorted { longer($0, $1) { $0.length } }
    guard !found.isEmpty else { return "" }
    var table = TextTable([.right, .right, .right, .left, .left])
    table.add("took ms", "minor faults", "major", "binary", "initializer")
    for index in shown(found) {
      let span = timeline.spans[index]
      table.add(
        TimelineSentences.duration(span.duration), CountText.number(Int(span.minorFaults)),
        CountText.number(Int(span.majorFaults)), timeline.functions[span.function].image,
        name(index))
    }
    return "\nInitializers, slowest first\n" + table.text(indent: "  ")
      + rest(found.count, "initializer")
  }

  private func marks(_ index: Int, _ process: TimelineProcess) -> String {
    let found = timeline.marks.filter { timeline.threads[$0.thread].process == index }
    guard !found.isEmpty else { return "" }
    var table = TextTable([.right, .right, .left, .left])
    table.add("at ms", "took ms", "thread", "mark or span")
    for mark in shown(found) {
      let took: String =
        switch mark.kind {
        case .mark: ""
        case .span(let duration?): ms(duration)
        case .span(nil): "not ended"
        }
      table.add(at(mark.start, process), took, timeline.threads[mark.thread].name, mark.name)
    }
    return "\nMarks and spans\n" + table.text(indent: "  ") + rest(found.count, "mark")
  }

  private func slowest(_ index: Int, _ process: TimelineProcess) -> String {
    let found = spans(index).filter { !timeline.spans[$0].isMoment }
      .sorted { longer($0, $1) { $0.selfTime } }
    guard !found.isEmpty else { return "" }
    var table = TextTable([.right, .right, .right, .right, .left, .left])
    table.add("self ms", "total ms", "at ms", "faults", "place", "function")
    for index in shown(found) {
      let span = timeline.spans[index]
      table.add(
        TimelineSentences.selfTime(span), TimelineSentences.duration(span.duration),
        at(span.start, process), CountText.number(Int(span.minorFaults + span.majorFaults)),
        TimelineSentences.shortPlace(timeline.functions[span.function]), name(index))
    }
    table.fit(without: 4)
    table.fit(without: 3)
    return "\nSlowest first calls (self: without the first calls they made)\n"
      + table.text(indent: "  ") + rest(found.count, "first call")
  }

  private func quietTimes(_ index: Int, _ process: TimelineProcess) -> String {
    let found = timeline.quietTimes(of: index)
    guard !found.isEmpty else { return "" }
    var table = TextTable([.right, .right, .left, .left])
    table.add("ms", "from ms", "after the first call of", "until the first call of")
    let most = limit == 0 ? found.count : min(limit, 10)
    for quiet in found.prefix(most) {
      let next = quiet.before.map { name($0) }
      table.add(
        ms(quiet.duration), at(timeline.spans[quiet.after].start, process),
        TimelineSentences.short(name(quiet.after), 60),
        next ?? (process.ready == process.end ? "(ready)" : "(end of the recording)"))
    }
    return "\nLongest gaps without a new function\n" + table.text(indent: "  ")
      + rest(found.count, "shorter one", shown: most)
  }

  private func firstCalls(_ index: Int, _ process: TimelineProcess) -> String {
    let found = spans(index).filter { !timeline.spans[$0].isInitializer }
      .sorted { (timeline.spans[$0].start, $0) < (timeline.spans[$1].start, $1) }
    guard !found.isEmpty else { return "" }
    var table = TextTable([.right, .left, .left, .left])
    table.add("at ms", "thread", "place", "function")
    for index in shown(found) {
      let span = timeline.spans[index]
      table.add(
        at(span.start, process), timeline.threads[span.thread].name,
        TimelineSentences.shortPlace(timeline.functions[span.function]), name(index))
    }
    table.fit(without: 2)
    return "\nFirst calls in order\n" + table.text(indent: "  ") + rest(found.count, "first call")
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

  private func shown<Element>(_ list: [Element]) -> ArraySlice<Element> {
    limit == 0 ? list[...] : list.prefix(limit)
  }

  private func rest(_ count: Int, _ noun: String, shown: Int? = nil) -> String {
    let left = count - (shown ?? (limit == 0 ? count : min(limit, count)))
    guard left > 0 else { return "" }
    return "  and \(CountText.text(left, "more " + noun)); \(showingAll) shows all\n"
  }
}
