import FirstlightModel
import SystemSupport

/// The data of the page's script in a short form: rows of numbers that are indices into lists of names. Times
/// are nanoseconds on the timeline's clock.
struct TimelineHTMLData: JSONObjectConvertible {
  var timeline: Timeline
  var tree: StartupTree
  /// For each node of the tree: the time of its stack in an earlier run; nil if the page does not compare.
  var before: [UInt64?]?
  var paths: SourcePaths

  var jsonObject: JSONObject {
    let functions: [JSONObject] = timeline.functions.map {
      [
        "name": $0.name, "short": $0.shortName == $0.name ? nil : $0.shortName,
        "image": $0.image, "module": $0.module,
        "place": TimelineSentences.place($0, paths),
      ]
    }
    let threads: [JSONObject] = timeline.threads.map {
      [
        "process": $0.process, "name": $0.name, "id": $0.id, "from": $0.spans.lowerBound,
        "to": $0.spans.upperBound,
      ]
    }
    let marks: [JSONObject] = timeline.marks.map {
      [
        "name": $0.name, "thread": $0.thread, "start": $0.start, "length": $0.kind.duration,
        "isSpan": $0.kind.isSpan,
      ]
    }
    let (nodes, labels) = nodes()
    return [
      "unit": tree.unit == .calls ? "calls" : "nanoseconds", "end": timeline.end,
      "endings": TimelineSpan.Ending.allCases.map(\.remark), "functions": functions,
      "processes": timeline.processes.map(Self.process), "threads": threads,
      "spans": timeline.spans.map(Self.numbers), "marks": marks, "labels": labels,
      "nodes": nodes, "before": before?.map { $0.map { Int(clamping: $0) } ?? -1 },
    ]
  }

  private static func process(_ process: TimelineProcess) -> JSONObject {
    let stages: [JSONObject] = process.stages.map {
      [
        "kind": $0.kind.rawValue, "name": $0.kind.title, "start": $0.start,
        "length": $0.duration, "faults": $0.minorFaults + $0.majorFaults,
      ]
    }
    return [
      "name": process.name, "pid": process.pid, "start": process.start, "end": process.end,
      "ready": process.ready, "hasReturns": process.hasReturns, "stages": stages,
    ]
  }

  /// Numbers of each node, and names of frames that are no functions.
  private func nodes() -> (nodes: [[Int]], labels: [String]) {
    var labels: [String] = []
    let nodes = tree.nodes.map { node in
      var (function, label, ending) = (-1, -1, TimelineSpan.Ending.notSeen)
      if case .function(let index, let how) = node.frame {
        (function, ending) = (index, how)
      } else {
        label = labels.count
        labels.append(TimelineSentences.name(node.frame, in: timeline))
      }
      return [
        node.parent, function, label, Self.index(ending), Int(clamping: node.weight),
        Int(clamping: node.total), node.calls,
      ]
    }
    return (nodes, labels)
  }

  /// Function, thread, parent, depth, start, length, own time, ending, kind, minor and major faults. The kind
  /// is a sum: 1 initializer, 2 lasted at least so long, 4 a moment, 8 its own time may be another's.
  private static func numbers(_ span: TimelineSpan) -> [Int] {
    var kind = (span.isInitializer ? 1 : 0) + (span.isSelfTimeAtMost ? 8 : 0)
    switch span.duration {
    case .unknown: kind += 4
    case .atLeast: kind += 2
    case .exactly: break
    }
    return [
      span.function, span.thread, span.parent, span.depth, Int(clamping: span.start),
      Int(clamping: span.length), Int(clamping: span.selfTime), index(span.ending), kind,
      Int(clamping: span.minorFaults), Int(clamping: span.majorFaults),
    ]
  }

  private static func index(_ ending: TimelineSpan.Ending) -> Int {
    TimelineSpan.Ending.allCases.firstIndex(of: ending) ?? 0
  }
}
