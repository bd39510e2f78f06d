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

/// Starts programs under the tracer.
package enum TracerStart {
  /// - Parameters:
  ///   - tracer: nil if there was not enough memory.
  ///   - streams: descriptors 0, 1, 2 of the program; nil for ours.
  /// - Throws: `Failure` of kind `notFound`, `notExecutable` (also for a program of another
  ///   machine, which the kernel would run in an emulator), `unavailable` or `system`.
  package static func start(
    _ tracer: OpaquePointer?, _ command: [String], _ environment: ProgramEnvironment,
    mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t {
    guard let tracer else { throw Failure(.system, "no memory left") }
    guard ProcessTable.isOfOwnNamespace else {
      throw Failure(
        .unavailable, "the program cannot be traced: /proc is of another pid namespace",
        advice: "mount one here: unshare --mount-proc, or mount -t proc proc /proc")
    }
    if let foreign = Failure.foreignProgram(command[0]) { throw foreign }
    let environment = LeakSanitizer.environment(environment, of: command[0])
    var mask = mask
    let (result, error) = withCArguments(command) { arguments in
      environment.withPointers { variables in
        let result =
          if let streams {
            fl_tracer_start(tracer, arguments, variables, &mask, streams)
          } else {
            fl_tracer_start(tracer, arguments, variables, &mask, nil)
          }
        return (result, errno)
      }
    }
    switch result {
    case FL_TRACER_STARTED: return fl_tracer_pid(tracer)
    case FL_TRACER_NOT_ALLOWED: throw TracingRefusal.failure("cannot be traced", error: error)
    case FL_TRACER_NO_PROCESS:
      throw TracingRefusal.failure("cannot make a process", error: error)
    default: throw .cannotStart(command[0], error)
    }
  }
}
