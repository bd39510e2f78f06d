import FirstlightModel
import LaunchTimeline
import TextFormatting

/// A start-up as a distributed trace: OTLP/JSON, the request `ExportTraceServiceRequest`
/// (github.com/open-telemetry/opentelemetry-proto; OTLP specification, "JSON Protobuf Encoding").
///
/// Each process is a span, with its stages and the program's own spans below it; marks and ready are events.
/// First calls are left out: a start-up has thousands. The same run always has the same ids.
enum TimelineOTLP {
  static func text(_ timeline: Timeline) throws(Failure) -> String {
    let processes = timeline.processes.indices.map { process($0, of: timeline) }
    return try JSONForm.compact(Request(resourceSpans: processes)) + "\n"
  }

  private static func process(_ index: Int, of timeline: Timeline) -> ResourceSpans {
    let process = timeline.processes[index]
    // Numbers of spans are unique in the trace: the processes come first.
    let number = timeline.processes[..<index].reduce(timeline.processes.count + 1) { sum, earlier in
      sum + earlier.stages.count
    }
    let parent = timeline.processes[..<index].lastIndex { $0.pid == process.parentPID }
    let marks = timeline.marks.enumerated().filter {
      timeline.threads[$1.thread].process == index
    }
    func time(_ offset: UInt64) -> String { String(start(of: timeline) + offset) }
    func thread(_ mark: TimelineMark) -> Attribute {
      Attribute("thread.id", Int(timeline.threads[mark.thread].id))
    }
    func span(_ name: String, id: Int, start: UInt64, end: UInt64, _ attributes: [Attribute])
      -> Span
    {
      Span(
        traceId: traceID(timeline), spanId: spanID(id), parentSpanId: spanID(index + 1), name: name,
        startTimeUnixNano: time(start), endTimeUnixNano: time(end), attributes: attributes,
        events: [])
    }
    var whole = span(
      "start-up", id: index + 1, start: process.start, end: process.ready ?? process.end,
      [Attribute("firstlight.first_calls", process.callCount)])
    whole.parentSpanId = parent.map { spanID($0 + 1) } ?? ""
    if let ready = process.ready {
      whole.events.append(Event(timeUnixNano: time(ready), name: "ready", attributes: []))
    }
    var spans = process.stages.enumerated().map { place, stage in
      span(
        TimelineSentences.stage(stage.kind), id: number + place, start: stage.start,
        end: stage.start + stage.duration,
        [
          Attribute("firstlight.minor_faults", Int(stage.minorFaults)),
          Attribute("firstlight.major_faults", Int(stage.majorFaults)),
        ])
    }
    let stages = timeline.processes.reduce(0) { $0 + $1.stages.count }
    for (place, mark) in marks {
      if case .span(let duration?) = mark.kind {
        spans.append(
          span(
            mark.name, id: timeline.processes.count + 1 + stages + place, start: mark.start,
            end: mark.start + duration, [thread(mark)]))
      } else {
        whole.events.append(
          Event(timeUnixNano: time(mark.start), name: mark.name, attributes: [thread(mark)]))
      }
    }
    let resource = Resource(attributes: [
      Attribute("service.name", process.name), Attribute("host.name", timeline.run.host.name),
      Attribute("process.pid", Int(process.pid)),
      // Arguments stay here: they may hold secrets, and traces go to other machines.
      Attribute("process.executable.path", process.path),
    ])
    return ResourceSpans(
      resource: resource, scopeSpans: [ScopeSpans(scope: Scope(), spans: [whole] + spans)])
  }

  /// Nanoseconds since 1970 when the timeline's clock began.
  private static func start(of timeline: Timeline) -> UInt64 {
    UInt64(max(0, timeline.run.startedAt) * 1e9)
  }

  /// 16 bytes in hexadecimal: the run's id, unless an earlier or another tool chose one of another form.
  private static func traceID(_ timeline: Timeline) -> String {
    let id = timeline.run.id
    if id.count == 32, id.allSatisfy(\.isHexDigit), id.contains(where: { $0 != "0" }) { return id }
    return spanID(1) + String(start(of: timeline), radix: 16).leftPadded(to: 16)
  }

  private static func spanID(_ number: Int) -> String {
    String(number, radix: 16).leftPadded(to: 16)
  }

  private struct Request: Encodable { var resourceSpans: [ResourceSpans] }
  private struct ResourceSpans: Encodable {
    var resource: Resource
    var scopeSpans: [ScopeSpans]
  }
  private struct Resource: Encodable { var attributes: [Attribute] }
  private struct ScopeSpans: Encodable {
    var scope: Scope
    var spans: [Span]
  }
  private struct Scope: Encodable {
    var name = "firstlight"
    var version = ToolVersion.text
  }
  private struct Span: Encodable {
    var traceId, spanId, parentSpanId, name: String
    /// SPAN_KIND_INTERNAL
    var kind = 1
    var startTimeUnixNano, endTimeUnixNano: String
    var attributes: [Attribute]
    var events: [Event]
  }
  private struct Event: Encodable {
    var timeUnixNano, name: String
    var attributes: [Attribute]
  }
  private struct Attribute: Encodable {
    var key: String
    var value: Value

    init(_ key: String, _ text: String) { (self.key, value) = (key, Value(stringValue: text)) }
    // 64-bit numbers are texts in protobuf's JSON.
    init(_ key: String, _ number: Int) { (self.key, value) = (key, Value(intValue: "\(number)")) }
  }
  private struct Value: Encodable {
    var stringValue, intValue: String?
  }
}

extension String {
  fileprivate func leftPadded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}
