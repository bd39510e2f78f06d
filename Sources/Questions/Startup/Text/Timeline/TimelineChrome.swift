import FirstlightModel
import Reports
import SystemSupport

/// A timeline in the trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
///
/// Calls, initializers and stages are complete events (`X`); events without a duration are instants (`i`).
/// Spans of the program are nestable asynchronous events (`b`, `e`), because they need not nest with calls.
/// Names of rows are metadata (`M`). Times are microseconds ("Trace Event Format", Google).
enum TimelineChrome {
  static func text(_ timeline: Timeline) throws(Failure) -> String {
    try JSONForm.compact(
      Document(
        traceEvents: names(timeline) + stages(timeline) + calls(timeline) + marks(timeline),
        otherData: [
          "command": TimelineSentences.title(timeline), "recorder": "firstlight",
          "notes": TimelineSentences.notes(timeline).joined(separator: " "),
        ])) + "\n"
  }

  private struct Document: Encodable {
    var displayTimeUnit = "ms"
    var traceEvents: [Event]
    var otherData: [TextBytes: String]
  }

  private struct Event: Encodable {
    var name: String
    var ph: String
    var pid: UInt32
    var tid: UInt32
    var cat: String?
    /// Microseconds.
    var ts: Double?
    var dur: Double?
    /// Scope of an instant: thread or process.
    var s: String?
    /// Connects the asynchronous events of one span.
    var id: String?
    var args: [TextBytes: Argument]?
  }

  private enum Argument: Encodable {
    case text(String)
    case number(UInt64)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      }
    }
  }

  private static func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1000 }

  /// The row for a process's stages: an id that none of its threads has.
  private static func stageRow(of process: Int, in timeline: Timeline) -> UInt32 {
    (timeline.threads.filter { $0.process == process }.map(\.id).max() ?? 0) + 1
  }

  private static func names(_ timeline: Timeline) -> [Event] {
    var events: [Event] = []
    func add(_ name: String, _ pid: UInt32, _ tid: UInt32, _ key: TextBytes, _ value: Argument) {
      events.append(Event(name: name, ph: "M", pid: pid, tid: tid, args: [key: value]))
    }
    for (index, process) in timeline.processes.enumerated() {
      add("process_name", process.pid, process.pid, "name", .text(process.name))
      add("process_sort_index", process.pid, process.pid, "sort_index", .number(UInt64(index)))
      guard !process.stages.isEmpty else { continue }
      let row = stageRow(of: index, in: timeline)
      add("thread_name", process.pid, row, "name", .text("start-up stages"))
      add("thread_sort_index", process.pid, row, "sort_index", .number(0))
    }
    for (index, thread) in timeline.threads.enumerated() {
      let pid = timeline.processes[thread.process].pid
      add("thread_name", pid, thread.id, "name", .text(thread.name))
      add("thread_sort_index", pid, thread.id, "sort_index", .number(UInt64(index + 1)))
    }
    return events
  }

  private static func stages(_ timeline: Timeline) -> [Event] {
    timeline.processes.enumerated().flatMap { index, process in
      process.stages.map { stage in
        Event(
          name: stage.kind.title, ph: "X", pid: process.pid,
          tid: stageRow(of: index, in: timeline), cat: "stage", ts: microseconds(stage.start),
          dur: microseconds(stage.duration),
          args: [
            "minor faults": .number(stage.minorFaults), "major faults": .number(stage.majorFaults),
          ])
      }
    }
  }

  private static func calls(_ timeline: Timeline) -> [Event] {
    timeline.spans.map { span in
      let thread = timeline.threads[span.thread]
      let function = timeline.functions[span.function]
      var args: [TextBytes: Argument] = ["image": .text(function.image)]
      if function.name != function.shortName { args["function"] = .text(function.name) }
      if let file = function.file {
        args["source"] = .text(file + (function.line > 0 ? ":\(function.line)" : ""))
      }
      if let remark = span.ending.remark { args["ending"] = .text(remark) }
      var event = Event(
        name: function.shortName, ph: span.isMoment ? "i" : "X",
        pid: timeline.processes[thread.process].pid, tid: thread.id,
        cat: span.isInitializer ? "initializer" : "first call", ts: microseconds(span.start))
      if span.isMoment {
        event.s = "t"
      } else {
        event.dur = microseconds(span.length)
        args["self ms"] = .text(TimelineSentences.milliseconds(span.selfTime))
        args["minor faults"] = .number(span.minorFaults)
        args["major faults"] = .number(span.majorFaults)
        if case .atLeast = span.duration { args["duration"] = .text("at least") }
      }
      event.args = args
      return event
    }
  }

  private static func marks(_ timeline: Timeline) -> [Event] {
    var events: [Event] = []
    for process in timeline.processes {
      guard let ready = process.ready else { continue }
      events.append(
        Event(
          name: "ready", ph: "i", pid: process.pid, tid: process.pid, cat: "mark",
          ts: microseconds(ready), s: "p"))
    }
    for (index, mark) in timeline.marks.enumerated() {
      let thread = timeline.threads[mark.thread]
      var event = Event(
        name: mark.name, ph: "i", pid: timeline.processes[thread.process].pid, tid: thread.id,
        cat: "mark", ts: microseconds(mark.start))
      switch mark.kind {
      case .mark: event.s = "t"
      case .span(nil):
        event.s = "t"
        event.args = ["ending": .text("not seen")]
      case .span(let duration?):
        event.ph = "b"
        event.cat = "span"
        event.id = "\(index)"
        events.append(event)
        event.ph = "e"
        event.ts = microseconds(mark.start + duration)
      }
      events.append(event)
    }
    return events
  }
}
