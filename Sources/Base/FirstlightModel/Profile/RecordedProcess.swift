/// One process of a run with its trace; calls refer to builds and guards.
package struct RecordedProcess: Sendable {
  /// `ProcessID` as text; unique within a host.
  package var id: String
  /// The run's `id`.
  package var run: String
  package var pid: UInt32
  package var parentPID: UInt32
  /// The recorded process that forked this one.
  package var forkedFrom: String?
  package var path: String
  package var arguments: [String]
  /// Seconds since 1970.
  package var startedAt: Double
  /// Seconds from `startedAt` until the program reported readiness.
  package var readyAfter: Double?
  package var losses: Losses
  /// In order; empty if the trace was left out, as in a merge of many runs.
  package var calls: [RecordedCall]
  /// Number of recorded first calls, even if the trace was left out.
  package private(set) var callCount: Int
  /// The outcome of each call; empty if the recorder did not wait for returns.
  package var returns: [CallOutcome] = []
  /// Marks of the program, by time.
  package var marks: [ProgramMark] = []
  /// The functions that the compiler's counters saw in this process, by build.
  package var counted: [BuildID: CountedRecords] = [:]
  /// The start-up, if the recorder watched it.
  package var launch: LaunchRecord?
  private var isLeftOut: Bool

  package init(
    id: String, run: String, pid: UInt32, parentPID: UInt32, forkedFrom: String?, path: String,
    arguments: [String], startedAt: Double, readyAfter: Double?, losses: Losses,
    calls: [RecordedCall], callCount: Int? = nil, isTraceLeftOut: Bool = false
  ) {
    self.id = id
    self.run = run
    self.pid = pid
    self.parentPID = parentPID
    self.forkedFrom = forkedFrom
    self.path = path
    self.arguments = arguments
    self.startedAt = startedAt
    self.readyAfter = readyAfter
    self.losses = losses
    self.calls = calls
    self.callCount = callCount ?? calls.count
    isLeftOut = isTraceLeftOut
  }

  /// Whether data beyond the counts was left out: `calls`, `returns`, `marks`, `counted` and `launch`
  /// are missing.
  package var isTraceLeftOut: Bool { isLeftOut || (calls.isEmpty && callCount > 0) }

  /// Whether the process has data beyond the counts, or had it before it was left out.
  var hasTrace: Bool {
    isTraceLeftOut || callCount > 0 || !marks.isEmpty || !counted.isEmpty || launch != nil
  }

  /// Keeps only the counts.
  package mutating func leaveOutTrace() {
    isLeftOut = hasTrace
    calls = []
    returns = []
    marks = []
    counted = [:]
    launch = nil
  }

  /// Copies the trace from another reading of the same process that still has it.
  mutating func adoptTrace(of other: RecordedProcess) {
    (calls, returns) = (other.calls, other.returns)
    (marks, counted, launch) = (other.marks, other.counted, other.launch)
    isLeftOut = false
  }
}
