import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// An untraced start up to the program's end. It takes as long as a stopwatch shows.
///
/// A tracer would fork this process and stop the child at exec and end, which makes a program of one millisecond
/// a third slower.
struct UntracedStart {
  let command: [String]
  let surroundings: ProgramSurroundings
  let timeout: Double

  /// Runs the program. Signals have to be blocked as for a `LaunchSession`.
  func run() throws(Failure) -> (outcome: LaunchOutcome, start: StartupReport.PlainStart) {
    try surroundings.prepare()
    let streams = try LaunchStreams(line: nil, input: surroundings.openInput())
    let program = try start(streams)
    var outcome = LaunchOutcome()
    let signals = SignalWait(LaunchChildren.watchedSignals)
    let limit = program.startedAt + timeout
    while program.nextChange() != .ended {
      switch signals.next(until: limit) {
      case .signal(let signal, _):
        if EndingSignals.all.contains(signal) { LaunchChildren.leave(signal) }
      case .timeIsOver:
        let now = UInt64(limit * 1e9)
        outcome.givenUp = LaunchOutcome.Moment(time: now, process: program.pid, isTold: true)
        kill(program.pid, SIGKILL)
        while program.nextChange(wait: true) != .ended {}
        LaunchChildren.end()
        return (outcome, StartupReport.PlainStart(duration: 0, minorFaults: 0, majorFaults: 0))
      case .nothing: break
      }
    }
    let (status, usage) = program.ending!
    outcome.status = status
    outcome.lastWords = streams.lastWords
    LaunchChildren.end()
    return (
      outcome,
      StartupReport.PlainStart(
        duration: UInt64(program.duration * 1e9),
        minorFaults: UInt64(usage.ru_minflt), majorFaults: UInt64(usage.ru_majflt),
        cpuTime: UInt64(usage.cpuTime * 1e6))
    )
  }

  private func start(_ streams: LaunchStreams) throws(Failure) -> MeasuredProgram {
    let path = try ProgramPath.find(command[0])
    do throws(MeasuredProgram.StartFailure) {
      return try MeasuredProgram(
        path: path, arguments: command,
        environment: surroundings.environment(with: [
          "FIRSTLIGHT_DIR": nil, "FIRSTLIGHT_QUIET": "1",
        ]), streams: streams, traced: false)
    } catch {
      let reason =
        switch error {
        case .cannotStart(let why), .notTraceable(let why): why
        }
      throw Failure(.notExecutable, "\(command[0]): cannot start: \(reason)")
    }
  }
}

/// The rights of a program's file, which the kernel does not give to a traced program.
enum LostRights {
  /// A note for people; nil: the file has no rights, or a traced program gets them too.
  static func of(_ command: String) -> String? {
    // Root may trace programs that gain rights.
    guard geteuid() != 0, let path = try? ProgramPath.find(command), ProgramPath.raisesRights(path)
    else {
      return nil
    }
    return "\(command) gains rights when it starts (set-user-ID, set-group-ID or capabilities): "
      + "traced starts have only your own. Root traces it with all."
  }
}
