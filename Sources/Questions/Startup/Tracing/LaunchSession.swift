import FirstlightModel
import Glibc
import ProcessControl
import Recording
import SystemSupport
import TraceReader

/// One watched start of a program until readiness.
///
/// Everything happens on the calling thread, in which SIGCHLD and SIGURG have to be blocked. The session does
/// not share a supervisor, because of its tracer.
final class LaunchSession {
  let tracer: LaunchTracer
  let command: [String]
  let until: ReadinessCondition
  /// Traces from the program's own runtime, if it contains one.
  private(set) var told: [Trace] = []
  private let timeout: Double
  /// Whether to poll ports in addition to the tracer's reports.
  private let looksForPort: Bool
  private let words: StartupWait
  private let surroundings: ProgramSurroundings

  var images: LaunchImages { tracer.images }

  init(
    _ images: LaunchImages, command: [String], surroundings: ProgramSurroundings,
    until: ReadinessCondition, timeout: Double, looksForPort: Bool,
    portCommand: ((Int) -> String)? = nil
  ) throws(Failure) {
    words = StartupWait(command[0], until: until, timeout: timeout, command: portCommand)
    try surroundings.prepare()
    self.surroundings = surroundings
    self.command = command
    self.until = until
    self.timeout = timeout
    self.looksForPort = looksForPort
    tracer = LaunchTracer(images, port: until.listeningPort.map { ListeningPort($0) })
  }

  /// Runs the program until it is ready, and then ends it.
  ///
  /// - Throws: `Failure` of kind `notFound` or `unavailable` if it cannot be started or traced.
  func run() throws(Failure) -> LaunchOutcome {
    // A program with guards would record itself, so it gets a spool only if its own traces are needed.
    let spool = until == .ready || images.watchesCalls ? try SpoolDirectory() : nil
    defer { spool?.remove() }
    let watch = try watcher(spool)
    let environment = surroundings.environment(
      with: ["FIRSTLIGHT_DIR": spool?.path, "FIRSTLIGHT_QUIET": "1"])
    let streams =
      if let streams = watch?.streams {
        streams
      } else {
        try LaunchStreams(line: nil, input: surroundings.openInput())
      }
    let allowed = CPUAffinity.current
    try tracer.start(command, environment, streams)
    // From here on, this thread may be pinned to the CPU on which the program is loaded. The watcher is not
    // pinned.
    if let watch {
      let look = { [pid = tracer.pid] in watch.start(pid: pid) { kill(getpid(), SIGURG) } }
      if let allowed { allowed.hold(look) } else { look() }
    }
    let wait = LaunchWait(tracer: tracer, until: until, timeout: timeout, watch: watch)
    var outcome = wait.outcome(words)
    if let spool, let said = try? TraceDirectory(path: spool.path).read() { told = said.traces }
    if until == .ready, let stamp = told.compactMap(\.ready).min() {
      // The program may have ended before its stamp was read.
      var reached = outcome.reached ?? wait.moment(outcome, at: stamp, isTold: true)
      reached.time = stamp
      reached.isTold = true
      outcome.reached = reached
    }
    end(outcome)
    outcome.lastWords = streams.lastWords
    return outcome
  }

  /// Nil if the tracer reports readiness.
  private func watcher(_ spool: SpoolDirectory?) throws(Failure) -> ReadinessWatcher? {
    guard until.listeningPort == nil || looksForPort else { return nil }
    return try ReadinessWatcher(
      until, directory: spool?.path, input: surroundings.openInput())
  }

  /// Ends and reaps the remaining processes.
  private func end(_ outcome: LaunchOutcome) {
    tracer.signal(SIGTERM)
    tracer.detach()
    if outcome.status == nil { kill(tracer.pid, SIGTERM) }
    LaunchChildren.end()
  }
}
