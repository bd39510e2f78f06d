import FirstlightModel
import TextFormatting

/// What a profile holds, for programs.
package enum ProfileJSON {
  package static func text(_ profile: Profile) throws(Failure) -> String {
    try JSONForm.pretty(
      Document(
        builds: profile.builds.map(BuildDocument.init),
        runs: profile.runs.map(RunDocument.init),
        processes: profile.processes.map(ProcessDocument.init),
        losses: LossesDocument(profile.losses),
        secondsObserved: profile.runs.reduce(0) { $0 + max(0, $1.endedAt - $1.startedAt) }))
  }

  private struct Document: Encodable {
    var builds: [BuildDocument]
    var runs: [RunDocument]
    var processes: [ProcessDocument]
    var losses: LossesDocument
    var secondsObserved: Double
  }

  private struct BuildDocument: Encodable {
    var buildID, recorder, path, kind, architecture: String
    var guards, functions, called, runs: Int
    var hasSymbols, hasDebugInfo: Bool

    init(_ recorded: RecordedBuild) {
      buildID = recorded.build.buildID.description
      recorder = recorded.build.recorder.rawValue
      path = recorded.build.path
      kind = recorded.build.kind.rawValue
      architecture = recorded.build.architecture
      guards = recorded.build.guardCount
      functions = recorded.build.functions.count
      called = recorded.coverage.count { $0.isCalled }
      runs = recorded.runs
      hasSymbols = recorded.build.hasSymbols
      hasDebugInfo = recorded.build.hasDebugInfo
    }
  }

  private struct RunDocument: Encodable {
    var id: String
    var command: [String]
    var host, kernel, architecture, processor: String
    var cores: Int
    var startedAt, endedAt: Double
    var outcome: String
    var problems: [String]

    init(_ run: Run) {
      id = run.id
      command = run.command
      host = run.host.name
      kernel = run.host.kernel
      architecture = run.host.architecture
      processor = run.host.processor
      cores = run.host.cores
      startedAt = run.startedAt
      endedAt = run.endedAt
      outcome = run.outcome
      problems = run.problems
    }
  }

  private struct ProcessDocument: Encodable {
    var id, run: String
    var pid, parentPID: UInt32
    var forkedFrom: String?
    var path: String
    var arguments: [String]
    var startedAt: Double
    var readyAfter: Double?
    var firstCalls, threads: Int
    var traceLeftOut: Bool
    var hasReturns, hasLaunch: Bool
    var marks: [MarkDocument]
    var losses: LossesDocument

    init(_ process: RecordedProcess) {
      id = process.id
      run = process.run
      pid = process.pid
      parentPID = process.parentPID
      forkedFrom = process.forkedFrom
      path = process.path
      arguments = process.arguments
      startedAt = process.startedAt
      readyAfter = process.readyAfter
      firstCalls = process.callCount
      traceLeftOut = process.isTraceLeftOut
      threads = Set(process.calls.map(\.thread)).count
      hasReturns = !process.returns.isEmpty
      hasLaunch = process.launch != nil
      marks = process.marks.map(MarkDocument.init)
      losses = LossesDocument(process.losses)
    }
  }

  private struct MarkDocument: Encodable {
    var kind, name: String
    var thread: UInt32
    /// Seconds since the process's start.
    var after: Double
    /// Of a span whose end was seen.
    var seconds: Double?

    init(_ mark: ProgramMark) {
      name = mark.name
      thread = mark.thread
      after = Double(mark.time) / 1e9
      switch mark.kind {
      case .mark: kind = "mark"
      case .span(let duration):
        kind = "span"
        seconds = duration.map { Double($0) / 1e9 }
      }
    }
  }
}
