import FirstlightModel
import Reports
import SystemSupport

/// Names, numbers and notes of a timeline, shared by text and page.
enum TimelineSentences {
  /// Nanoseconds as milliseconds: "12.345".
  static func milliseconds(_ nanoseconds: UInt64) -> String {
    NumberText.decimal(Double(nanoseconds) / 1e6, digits: 3)
  }

  /// Milliseconds with a sign, for changes: "+0.120".
  static func change(_ nanoseconds: Int64) -> String {
    (nanoseconds < 0 ? "" : "+") + NumberText.decimal(Double(nanoseconds) / 1e6, digits: 3)
  }

  /// A duration, with its uncertainty: "at least 3.201"; "-" if only the entry was seen.
  static func duration(_ duration: TimelineSpan.Duration) -> String {
    switch duration {
    case .unknown: "-"
    case .exactly(let length): milliseconds(length)
    case .atLeast(let length): ">= " + milliseconds(length)
    }
  }

  /// A span's own time: "<= 0.201" if some of it may be another span's; "-" if only the entry was seen.
  static func selfTime(_ span: TimelineSpan) -> String {
    if span.isMoment { return "-" }
    return (span.isSelfTimeAtMost ? "<= " : "") + milliseconds(span.selfTime)
  }

  /// The function's name, shortened for a table, with a remark if the call did not return normally.
  static func shortName(_ span: TimelineSpan, in timeline: Timeline) -> String {
    let name = short(timeline.functions[span.function].shortName)
    return span.ending.remark.map { "\(name) (\($0))" } ?? name
  }

  static func shortName(_ frame: StartupTree.Frame, in timeline: Timeline) -> String {
    guard case .function(let index, let ending) = frame else { return name(frame, in: timeline) }
    let name = short(timeline.functions[index].shortName)
    return ending.remark.map { "\(name) (\($0))" } ?? name
  }

  static func name(_ frame: StartupTree.Frame, in timeline: Timeline) -> String {
    switch frame {
    case .process(let index):
      timeline.processes.count == 1
        ? timeline.processes[index].name
        : "\(timeline.processes[index].name) (process \(timeline.processes[index].pid))"
    case .stage(let kind): kind.title
    case .thread(let index): timeline.threads[index].name
    case .module(let name): name
    case .function(let index, let ending):
      ending.remark.map { "\(timeline.functions[index].shortName) (\($0))" }
        ?? timeline.functions[index].shortName
    }
  }

  /// A name, shortened for a table.
  static func short(_ name: String, _ most: Int = 100) -> String {
    name.count > most ? name.prefix(most - 3) + "..." : name
  }

  /// The source place without folders.
  static func shortPlace(_ function: TimelineFunction) -> String {
    guard let file = function.file else { return function.image }
    let name = BaseName.of(file)
    return name + (function.line > 0 ? ":\(function.line)" : "")
  }

  static func place(_ function: TimelineFunction, _ paths: SourcePaths) -> String {
    guard let file = function.file else { return function.image }
    return paths.shown(file) + (function.line > 0 ? ":\(function.line)" : "")
  }

  /// The recorded command, on one line.
  static func title(_ timeline: Timeline) -> String { ShellText.line(command(timeline)) }

  static func command(_ timeline: Timeline) -> [String] {
    timeline.run.command.isEmpty
      ? timeline.processes.first?.arguments ?? [] : timeline.run.command
  }

  /// A process, on one line.
  static func process(_ process: TimelineProcess, threads: Int) -> String {
    var parts = ["process \(process.pid)"]
    if process.start > 0 { parts.append("started at \(milliseconds(process.start)) ms") }
    if let ready = process.ready {
      parts.append("ready after \(milliseconds(ready - min(ready, process.start))) ms")
    }
    parts.append(CountText.text(process.callCount, "first call"))
    parts.append(CountText.text(threads, "thread"))
    if !process.losses.isEmpty { parts.append("losses: \(LossText.text(process.losses))") }
    return parts.joined(separator: ", ")
  }

  /// How the times of a start with many stops were scaled, without a full stop.
  static func scaled(_ scale: Double) -> String {
    "Times are scaled to their stage in starts with few stops, the longest stage by "
      + NumberText.decimal(scale, digits: 2)
  }

  /// Notes on the limits of the recording.
  static func notes(_ timeline: Timeline) -> [String] {
    var notes: [String] = []
    if timeline.spans.count > 1, timeline.spans.allSatisfy({ $0.start == 0 }) {
      notes.append("This recording has the order of first calls but no times.")
    } else if !timeline.hasReturns {
      notes.append(
        "This recording has the times of first calls but no durations; record durations with "
          + "firstlight launch --profile FILE.flp.")
    }
    let cut = timeline.processes.reduce(0) { $0 + $1.cutSpans }
    if cut > 0 {
      notes.append(
        "\(CountText.text(cut, "call")) shortened to fit into the caller.")
    }
    return notes + timeline.processes.compactMap(\.scale).map { scaled($0) + "." }
  }
}
