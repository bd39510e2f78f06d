import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Records runs of an unmodified program through breakpoints, unattended.
package struct BreakpointRecorder {
  package let command: [String]
  package let until: ReadinessCondition
  /// Timeout for readiness, seconds.
  package let timeout: Double
  /// Variables for the program's environment.
  package let environment: [TextBytes: String]

  package init(
    command: [String], until: ReadinessCondition, timeout: Double,
    environment: [TextBytes: String] = [:]
  ) {
    self.environment = environment
    self.command = command
    self.until = until
    self.timeout = timeout
  }

  /// The profile of one run.
  ///
  /// - Parameter log: receives the program's output.
  /// - Throws: `Failure` if the program cannot be started or traced, fails, crashes, or is not
  ///   ready in time; if nothing was recorded; and if a termination signal came meanwhile.
  package func profile(log: ProgramLog) throws(Failure) -> Profile {
    let before = SignalMask.current
    defer { before.use() }
    let spool = try SpoolDirectory()
    defer { spool.remove() }
    let launch = BreakpointLaunch(globs: [], log: log)
    try launch.record(into: spool.path)
    var duration: Double?
    if case .duration = until {} else { duration = timeout }
    var runner = ProgramRunner(
      command: command, directory: spool.path, until: until, timeout: duration, launch: launch,
      environment: environment, isQuiet: true)
    let run = try runner.run()
    if run.wasAskedToEnd { throw Failure(.data, "interrupted") }
    if let failure = run.failure { throw failure }
    let profile = try ProfileAssembler(run: run, open: launch.images).profile()
    if run.recordedNothing(profile) { throw run.nothingRecorded(noRebuild: true) }
    return profile
  }
}
