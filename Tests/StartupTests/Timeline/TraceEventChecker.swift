import Foundation
import Testing

/// Checks a document against the trace event format as its public description has it ("Trace Event
/// Format", Google), for the phases X, i, M, b and e. Knows nothing of what wrote it.
struct TraceEventChecker {
  private(set) var problems: [String] = []
  /// Complete events by process and thread.
  private(set) var complete: [[Int]: [[String: Any]]] = [:]
  private(set) var instants: [[String: Any]] = []
  /// Names of processes by process, and of threads by process and thread.
  private(set) var names: [[Int]: String] = [:]
  /// Async spans that began and ended.
  private(set) var spans: [(name: String, start: Double, end: Double)] = []

  init(_ text: String) throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let document = try #require(parsed as? [String: Any])
    if let unit = document["displayTimeUnit"] {
      note(["ms", "ns"].contains(unit as? String), "displayTimeUnit is ms or ns")
    }
    let events = try #require(document["traceEvents"] as? [[String: Any]])
    var open: [String: (name: String, start: Double)] = [:]
    for event in events { check(event, &open) }
    note(open.isEmpty, "every b has its e: \(open)")
    for (row, events) in complete { checkNesting(events, row) }
  }

  private mutating func note(_ isRight: Bool, _ words: @autoclosure () -> String) {
    if !isRight { problems.append(words()) }
  }

  private mutating func check(
    _ event: [String: Any], _ open: inout [String: (name: String, start: Double)]
  ) {
    guard let name = event["name"] as? String, let phase = event["ph"] as? String,
      let pid = event["pid"] as? Int, let tid = event["tid"] as? Int
    else { return problems.append("name, ph, pid or tid missing: \(event)") }
    if phase == "M" {
      let key =
        ["process_name": "name", "thread_name": "name", "process_labels": "labels"][name]
        ?? (["process_sort_index", "thread_sort_index"].contains(name) ? "sort_index" : nil)
      let value = key.flatMap { (event["args"] as? [String: Any])?[$0] }
      note(value != nil, "metadata of a known kind with its argument: \(event)")
      if name == "process_name" { names[[pid]] = value as? String }
      if name == "thread_name" { names[[pid, tid]] = value as? String }
      return
    }
    guard let time = event["ts"] as? Double, time >= 0 else {
      return problems.append("ts missing: \(event)")
    }
    note(event["cat"] is String, "cat is text: \(event)")
    switch phase {
    case "X":
      note((event["dur"] as? Double ?? -1) >= 0, "dur of a complete event: \(event)")
      complete[[pid, tid], default: []].append(event)
    case "i":
      note(["g", "p", "t"].contains(event["s"] as? String), "scope of an instant: \(event)")
      instants.append(event)
    case "b", "e":
      let id = "\(event["cat"] ?? "")/\(event["id"] ?? "")"
      note(event["id"] is String, "id of an async event: \(event)")
      if phase == "b" {
        note(open[id] == nil, "begun twice: \(event)")
        open[id] = (name, time)
      } else if let begun = open.removeValue(forKey: id) {
        note(begun.name == name && begun.start <= time, "ends what began: \(event)")
        spans.append((name, begun.start, time))
      } else {
        problems.append("ended without beginning: \(event)")
      }
    default: problems.append("unknown phase: \(event)")
    }
  }

  /// On one thread, complete events lie within each other or apart.
  private mutating func checkNesting(_ events: [[String: Any]], _ row: [Int]) {
    func nanoseconds(_ event: [String: Any], _ key: String) -> Int {
      Int(((event[key] as? Double ?? 0) * 1000).rounded())
    }
    var open: [Int] = []
    var last = 0
    for event in events {
      let start = nanoseconds(event, "ts")
      let end = start + nanoseconds(event, "dur")
      note(start >= last, "by time: \(event)")
      last = start
      while let top = open.last, top <= start { open.removeLast() }
      if let top = open.last {
        note(end <= top, "ends within what it began in: \(event), thread \(row)")
      }
      open.append(end)
    }
  }
}
