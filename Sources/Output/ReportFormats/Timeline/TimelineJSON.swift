import FirstlightModel
import LaunchTimeline
import TextFormatting

/// A timeline for programs. Times are nanoseconds since the first process's start.
enum TimelineJSON {
  static func text(_ timeline: Timeline) throws(Failure) -> String {
    try JSONForm.pretty(Document(timeline))
  }

  private struct Document: Encodable {
    var command: [String]
    var processes: [Process]
    var threads: [Thread]
    var functions: [Function]
    var spans: [Span]
    var marks: [Mark]

    init(_ timeline: Timeline) {
      command = timeline.run.command
      processes = timeline.processes.map(Process.init)
      threads = timeline.threads.map {
        Thread(process: $0.process, id: $0.id, isMain: $0.isMain)
      }
      functions = timeline.functions.map {
        Function(
          name: $0.name, linkerName: $0.linkerName, image: $0.image, module: $0.module,
          file: $0.file, line: $0.line)
      }
      spans = timeline.spans.map(Span.init)
      marks = timeline.marks.map(Mark.init)
    }
  }

  private struct Process: Encodable {
    var pid, parentPID: UInt32
    var path: String
    var arguments: [String]
    var start, end: UInt64
    var ready: UInt64?
    var hasReturns: Bool
    var firstCalls: Int
    var stages: [LaunchStage]
    var correction: TimeCorrection?

    init(_ process: TimelineProcess) {
      pid = process.pid
      parentPID = process.parentPID
      path = process.path
      arguments = process.arguments
      start = process.start
      end = process.end
      ready = process.ready
      hasReturns = process.hasReturns
      firstCalls = process.callCount
      stages = process.stages
      correction = process.correction
    }
  }

  private struct Thread: Encodable {
    var process: Int
    var id: UInt32
    var isMain: Bool
  }

  private struct Function: Encodable {
    var name, linkerName, image, module: String
    var file: String?
    var line: Int
  }

  private struct Span: Encodable {
    var function, thread, parent: Int
    var start: UInt64
    /// Left out if only the entry was seen.
    var duration, selfTime: UInt64?
    /// Of `selfTime`, what was on a processor.
    var selfCPUTime: UInt64?
    /// Whether the duration is the least it was.
    var isOpenEnded: Bool
    /// Whether some of `selfTime` may be that of a span in it.
    var isSelfTimeAtMost: Bool
    var ending: String
    var isInitializer: Bool
    var minorFaults, majorFaults: UInt64

    init(_ span: TimelineSpan) {
      function = span.function
      thread = span.thread
      parent = span.parent
      start = span.start
      duration = span.isMoment ? nil : span.length
      selfTime = span.isMoment ? nil : span.selfTime
      selfCPUTime = span.isMoment ? nil : span.selfCPUTime.map { min($0, span.selfTime) }
      if case .atLeast = span.duration { isOpenEnded = true } else { isOpenEnded = false }
      isSelfTimeAtMost = span.isSelfTimeAtMost
      ending = span.ending.rawValue
      isInitializer = span.isInitializer
      minorFaults = span.minorFaults
      majorFaults = span.majorFaults
    }
  }

  private struct Mark: Encodable {
    var name: String
    var thread: Int
    var start: UInt64
    /// Left out for marks and for spans whose end was not seen.
    var duration: UInt64?
    var isSpan: Bool

    init(_ mark: TimelineMark) {
      name = mark.name
      thread = mark.thread
      start = mark.start
      switch mark.kind {
      case .mark: isSpan = false
      case .span(let duration):
        isSpan = true
        self.duration = duration
      }
    }
  }
}
