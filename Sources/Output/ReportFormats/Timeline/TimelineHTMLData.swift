import FirstlightModel
import LaunchTimeline

/// What the page's script works on, as short as can be: rows of numbers that point into lists of
/// names. Times are nanoseconds on the timeline's clock.
struct TimelineHTMLData: Encodable {
  private var unit: String
  private var end: UInt64
  private var endings: [String?]
  private var functions: [Function]
  private var processes: [Process]
  private var threads: [Thread]
  private var spans: [Numbers]
  private var marks: [Mark]
  /// Names of frames that are no functions.
  private var labels: [String]
  private var nodes: [Numbers]
  /// For each node what its stack took in an earlier run, where the page compares; -1: nothing.
  private var before: [Int]?

  init(_ timeline: Timeline, tree: StartupTree, before: [UInt64?]? = nil, paths: SourcePaths) {
    self.before = before?.map { $0.map { Int(clamping: $0) } ?? -1 }
    unit = tree.unit == .calls ? "calls" : "nanoseconds"
    end = timeline.end
    endings = TimelineSpan.Ending.allCases.map(\.remark)
    functions = timeline.functions.map {
      Function(
        name: $0.name, image: $0.image, module: $0.module, place: TimelineSentences.place($0, paths)
      )
    }
    processes = timeline.processes.map { process in
      Process(
        name: process.name, pid: process.pid, start: process.start, end: process.end,
        ready: process.ready, hasReturns: process.hasReturns,
        stages: process.stages.map {
          Stage(
            kind: $0.kind.rawValue, name: TimelineSentences.stage($0.kind), start: $0.start,
            length: $0.duration, faults: $0.minorFaults + $0.majorFaults)
        })
    }
    threads = timeline.threads.map {
      Thread(
        process: $0.process, name: $0.name, id: $0.id, from: $0.spans.lowerBound,
        to: $0.spans.upperBound)
    }
    spans = timeline.spans.map(Self.numbers)
    marks = timeline.marks.map { mark in
      switch mark.kind {
      case .mark: Mark(name: mark.name, thread: mark.thread, start: mark.start, isSpan: false)
      case .span(let length):
        Mark(name: mark.name, thread: mark.thread, start: mark.start, length: length, isSpan: true)
      }
    }
    labels = []
    nodes = []
    nodes.reserveCapacity(tree.nodes.count)
    for node in tree.nodes {
      var function = -1
      var label = -1
      var ending = TimelineSpan.Ending.notSeen
      if case .function(let index, let how) = node.frame {
        function = index
        ending = how
      } else {
        label = labels.count
        labels.append(TimelineSentences.name(node.frame, in: timeline))
      }
      nodes.append(
        Numbers([
          node.parent, function, label, Self.index(ending), Int(clamping: node.weight),
          Int(clamping: node.total), node.calls,
        ]))
    }
  }

  /// Function, thread, parent, depth, start, length, own time, ending, kind (1 initializer, 2 lasted
  /// at least so long, 4 a moment, 8 its own time may be another's; summed), minor and major faults.
  private static func numbers(_ span: TimelineSpan) -> Numbers {
    var kind = (span.isInitializer ? 1 : 0) + (span.isSelfTimeAtMost ? 8 : 0)
    switch span.duration {
    case .unknown: kind += 4
    case .atLeast: kind += 2
    case .exactly: break
    }
    return Numbers([
      span.function, span.thread, span.parent, span.depth, Int(clamping: span.start),
      Int(clamping: span.length), Int(clamping: span.selfTime), index(span.ending), kind,
      Int(clamping: span.minorFaults), Int(clamping: span.majorFaults),
    ])
  }

  private static func index(_ ending: TimelineSpan.Ending) -> Int {
    TimelineSpan.Ending.allCases.firstIndex(of: ending) ?? 0
  }

  private struct Function: Encodable {
    var name, image, module, place: String
  }

  private struct Process: Encodable {
    var name: String
    var pid: UInt32
    var start, end: UInt64
    var ready: UInt64?
    var hasReturns: Bool
    var stages: [Stage]
  }

  private struct Stage: Encodable {
    var kind, name: String
    var start, length, faults: UInt64
  }

  private struct Thread: Encodable {
    var process: Int
    var name: String
    var id: UInt32
    var from, to: Int
  }

  private struct Mark: Encodable {
    var name: String
    var thread: Int
    var start: UInt64
    /// Left out of marks and of spans whose end was not seen.
    var length: UInt64?
    var isSpan: Bool
  }

  private struct Numbers: Encodable {
    var numbers: [Int]

    init(_ numbers: [Int]) { self.numbers = numbers }

    func encode(to encoder: any Encoder) throws {
      var cells = encoder.unkeyedContainer()
      for number in numbers { try cells.encode(number) }
    }
  }
}
