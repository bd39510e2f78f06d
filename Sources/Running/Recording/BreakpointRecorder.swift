import FirstlightModel
import ProcessControl
import SystemSupport

/// Records runs of an unmodified program through breakpoints, unattended.
package struct BreakpointRecorder {
  package let command: [String]
  package let until: ReadinessCondition
  /// How long to wait for that moment, seconds.
  package let timeout: Double

  package init(command: [String], until: ReadinessCondition, timeout: Double) {
    self.command = command
    self.until = until
    self.timeout = timeout
  }

  /// The profile of one run.
  ///
  /// - Parameter log: where the program's output goes.
  /// - Throws: `Failure` if it cannot be started or traced, fails, crashes, or is not ready in time; if
  ///   nothing was recorded; and if a signal asked us to end meanwhile.
  package func profile(log: ProgramLog) throws(Failure) -> Profile {
    let before = SignalMask.current
    defer { before.use() }
    let spool = try SpoolDirectory()
    defer { spool.remove() }
    let launch = BreakpointLaunch(globs: [], log: log)
    var duration: Double?
    if case .duration = until {} else { duration = timeout }
    var runner = ProgramRunner(
      command: command, directory: spool.path, until: until, timeout: duration, launch: launch,
      isQuiet: true)
    let run = try runner.run()
    if run.wasAskedToEnd { throw Failure(.data, "interrupted") }
    if let failure = run.failure { throw failure }
    let profile = try ProfileAssembler(run: run).profile(watched: launch.recording())
    if run.recordedNothing(profile) { throw run.nothingRecorded(noRebuild: true) }
    return profile
  }
}
