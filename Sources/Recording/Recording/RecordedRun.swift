import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport
import TraceReader

/// A finished run, without the data that its processes wrote.
package struct RecordedRun {
  package var directory: String
  /// Empty if the program was not run by us.
  package var command: [String]
  /// Seconds since 1970; 0 if the program was not run by us.
  package var startedAt = 0.0
  package var endedAt = 0.0
  package var ending = unknownEnding
  package var until = ReadinessCondition.exit
  /// CLOCK_MONOTONIC when readiness was observed, seconds; nil if it was not.
  package var reachedAt: Double?
  /// Whether the program was stopped because it was not ready in time.
  package var isLate = false
  /// Whether we received a termination signal while it ran.
  package var wasAskedToEnd = false
  /// The processes that it left running.
  package var running: [LeftProcess] = []
  /// Processes whose recordings are missing, and the reasons.
  var missing = (processes: 0, problems: [String]())

  /// The end of a program that we did not run: the recording was read from a directory.
  package static let unknownEnding = RunEnding.other("recorded without firstlight record")

  package init(
    directory: String, command: [String], startedAt: Double = 0.0, endedAt: Double = 0.0,
    ending: RunEnding = unknownEnding, until: ReadinessCondition = ReadinessCondition.exit,
    reachedAt: Double? = nil, isLate: Bool = false, wasAskedToEnd: Bool = false,
    running: [LeftProcess] = []
  ) {
    self.directory = directory
    self.command = command
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.ending = ending
    self.until = until
    self.reachedAt = reachedAt
    self.isLate = isLate
    self.wasAskedToEnd = wasAskedToEnd
    self.running = running
  }

  /// The failure of an unusable run: the program failed, crashed, or was late.
  package var failure: Failure? {
    let program = command.first ?? directory
    switch ending {
    case .exited(let status) where status != 0:
      return Failure(.data, "\(program) ended with exit status \(status)")
    case .signalled:
      return Failure(.data, "\(program) was \(ending.outcome)")
    case .exited, .other:
      return isLate ? lateness : nil
    }
  }

  /// The failure of a run that was not ready in time.
  package var lateness: Failure {
    Failure(
      .data, "\(command.first ?? directory) \(ending.outcome)",
      advice: "run it by hand with the same arguments, and check --until and --timeout")
  }

  /// Whether it ended early on request: by Ctrl-C or another termination signal.
  package var isInterrupted: Bool {
    switch ending {
    case .signalled(let signal): EndingSignals.all.contains(signal)
    case .exited(let status): status != 0 && (wasAskedToEnd || status == 128 + SIGINT)
    case .other: false
    }
  }

  /// The failure of a run that ended before readiness; nil if it was ready, no readiness was
  /// awaited, or it was asked to end.
  ///
  /// - Parameter profile: the run's profile; nil if nothing was recorded, which is worse.
  package func missedMoment(_ profile: Profile?) -> Failure? {
    if isLate { return lateness }
    guard let profile, !wasAskedToEnd, reachedAt == nil else { return nil }
    switch until {
    case .exit, .duration: return nil
    case .ready where profile.processes.contains(where: { $0.readyAfter != nil }): return nil
    case .ready, .port, .http, .line: break
    }
    return Failure(
      .data,
      "\(command.first ?? directory) ended (\(ending.outcome)) before it had \(until.doneText)",
      advice: "run it by hand with the same arguments, and check --until")
  }

  /// Whether there is nothing to write, because no process had guards or set marks.
  func recordedNothing(_ profile: Profile) -> Bool {
    profile.builds.isEmpty && profile.losses.isEmpty
      && profile.processes.allSatisfy { $0.marks.isEmpty }
  }

  /// The failure if nothing was recorded, with advice.
  package func nothingRecorded(noRebuild: Bool) -> Failure {
    guard let program = command.first else {
      return Failure(
        .data, "\(directory): contains no recordings",
        advice: "start the program with FIRSTLIGHT_DIR set to this directory's absolute path")
    }
    if noRebuild {
      return Failure(
        .data,
        "nothing was recorded: no process of this run, including \(program), has known functions",
        advice: "keep the program's symbols, or put its debug file beside it")
    }
    if missing.processes > 0 {
      return Failure(.data, "nothing was recorded: \(missing.problems.joined(separator: "; "))")
    }
    if let path = try? ProgramPath.find(program), ProgramPath.raisesRights(path) {
      return Failure(
        .data,
        "nothing was recorded: \(program) runs with other rights than yours (setuid, setgid or "
          + "file capabilities), so it ignores where it is told to record",
        advice: "use --no-rebuild, or run a copy without these rights")
    }
    return Failure(
      .data,
      "nothing was recorded: no process of this run, including \(program), is instrumented",
      advice:
        "use --no-rebuild, or build with the flags of firstlight flags swiftpm (or swiftc, clang, gcc)"
    )
  }
}
