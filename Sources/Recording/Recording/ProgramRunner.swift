import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// Runs the program to be recorded, transparently for its caller.
///
/// The program has a process group of its own (`TerminalJob`): signals from the terminal (Ctrl-C, Ctrl-Z, hang-up) are
/// passed on to the group, those sent to us to the program.
struct ProgramRunner {
  let command: [String]
  let directory: String
  let until: ReadinessCondition
  /// Timeout for readiness, seconds; nil for none.
  var timeout: Double?
  var launch: any ProgramLaunch
  /// Changes of the program's environment.
  var environment: [TextBytes: String] = [:]
  /// Whether the directory also has recordings of others, which a firstlightd removes.
  var isShared = false
  /// Whether to suppress progress output.
  var isQuiet = false

  /// Time for a program to end after SIGTERM, seconds.
  private static let grace = 10.0

  /// Whether the program was stopped because it was not ready in time.
  private(set) var isLate = false

  /// Whether a termination signal was received.
  private(set) var wasAskedToEnd = false

  /// Runs the program to its end. Signals stay blocked, since the recording is not written yet.
  mutating func run() throws(Failure) -> RecordedRun {
    // Blocked before any thread starts, so that only the loop below receives these signals.
    var waited = sigset_t()
    sigemptyset(&waited)
    for signal in Self.watchedSignals { sigaddset(&waited, signal) }
    var original = sigset_t()
    sigprocmask(SIG_BLOCK, &waited, &original)

    let watch = try ReadinessWatcher(
      until, directory: directory,
      input: launch.log == nil ? Self.ownInput() : ProgramSurroundings().openInput(),
      copy: launch.log?.descriptor ?? STDOUT_FILENO)
    // A tracer's recording needs no files.
    let spool = launch.reapsAll || isShared ? nil : try SpoolWatch(directory)
    var variables = environment
    variables["FIRSTLIGHT_DIR"] = directory
    if spool != nil { variables["FIRSTLIGHT_WATCHED"] = "1" }
    let left = LeftProcesses()
    let startedAt = Clock.realtime()
    let child: pid_t
    do throws(Failure) {
      child = try launch.start(
        command,
        environment: ProgramEnvironment(variables.mapValues { Optional($0) }),
        mask: original,
        streams: watch?.streams?.descriptors)
    } catch {
      sigprocmask(SIG_SETMASK, &original, nil)
      throw error
    }
    watch?.start(pid: child) { kill(getpid(), SIGURG) }
    // The program uses the terminal now, so print a whole line and no progress.
    if !isQuiet { Terminal.notice("recording \(command[0]) until \(untilText)") }
    let job = TerminalJob(of: child)
    let ending = wait(for: child, job, left, watch, signals: waited)
    watch?.finish()
    let endedAt = Clock.realtime()
    launch.finish()
    var run = RecordedRun(
      directory: directory, command: command, startedAt: startedAt, endedAt: endedAt,
      ending: ending, until: until, reachedAt: watch?.reachedAt,
      isLate: isLate, wasAskedToEnd: wasAskedToEnd,
      // A tracer has counted the processes that it left, also those without any first call.
      running: launch.reapsAll ? [] : left.all(besides: child).map(LeftProcess.init))
    run.missing = spool?.finish() ?? launch.missing
    return run
  }

  /// All signals except those that stop a process (but Ctrl-Z), report its own faults, or cannot be waited for.
  private static let watchedSignals: [Int32] = {
    let left: Set<Int32> = [
      SIGKILL, SIGSTOP, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
      SIGABRT, SIGSYS, SIGPIPE,
    ]
    return (1..<32).filter { !left.contains($0) }
  }()

  /// Waits for signals until the program has ended, and also the processes that it left behind: a
  /// daemon becomes ready there.
  private mutating func wait(
    for child: pid_t, _ job: TerminalJob, _ left: LeftProcesses, _ watch: ReadinessWatcher?,
    signals: sigset_t
  ) -> RunEnding {
    let signals = SignalWait(signals)
    var deadline: Double?
    if case .duration(let seconds) = until {
      deadline = Clock.monotonic() + seconds
    } else if let timeout {
      deadline = Clock.monotonic() + timeout
    }
    var stopped: String?
    var status: Int32?
    /// Whether the remaining processes have been asked to end.
    var areTold = false
    func send(_ signal: Int32) {
      let receivers = status == nil ? [child] : left.roots(besides: child)
      for process in receivers { kill(process, signal) }
      areTold = status != nil
    }
    while true {
      let ended = launch.end()
      let isNews = status == nil && ended != nil
      if status == nil { status = ended }
      if status == nil, let stop = launch.takeStop() { job.programStopped(by: stop) }
      if let status {
        job.programEnded(by: WaitStatus(status).signal)
        if !launch.reapsAll { left.reap(besides: child) }
        guard until != .exit, !left.roots(besides: child).isEmpty else {
          return ending(status, stopped: stopped)
        }
        if stopped != nil, !areTold { send(SIGTERM) }
        // One signal may announce the end of several processes.
        if isNews { continue }
      }
      switch signals.next(until: deadline) {
      case .nothing: break
      case .timeIsOver where stopped == nil:
        stopped = untilDeadline
        isLate = timeout != nil
        send(SIGTERM)
        deadline = Clock.monotonic() + Self.grace
      case .timeIsOver:
        Terminal.report("warning: \(command[0]) did not end on SIGTERM; killing it")
        if status == nil { kill(child, SIGKILL) }
        if until != .exit { for process in left.all(besides: child) { kill(process, SIGKILL) } }
        // Other processes may be left afterwards.
        deadline = until == .exit ? nil : Clock.monotonic() + 1
      case .signal(let signal, let isFromKernel):
        if EndingSignals.all.contains(signal) { wasAskedToEnd = true }
        if signal == SIGURG, stopped == nil, watch?.reachedAt != nil {
          stopped = untilStopped
          send(SIGTERM)
          deadline = Clock.monotonic() + Self.grace
        } else if signal == SIGCHLD || job.take(signal) {
          continue
        } else if isFromKernel, status == nil {
          job.pass(signal)
        } else {
          send(signal)
        }
      }
    }
  }

  /// A copy of our standard input for the program.
  private static func ownInput() throws(Failure) -> Int32 {
    let input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    return input >= 0 ? input : try ProgramSurroundings().openInput()
  }

  private var untilText: String {
    switch until {
    case .exit: "it exits (Ctrl-C stops it)"
    case .ready: "it reports ready"
    case .port(let port): "it listens on port \(port)"
    case .http(let port, let path): "it answers http://127.0.0.1:\(port)\(path)"
    case .line(let text): "it prints a line with \"\(text)\""
    case .duration(let seconds): "\(TimeText.text(seconds)) have passed"
    }
  }

  private var untilDeadline: String {
    if case .duration(let seconds) = until { return "stopped after \(TimeText.text(seconds))" }
    return "stopped as it had not \(until.doneText) within \(TimeText.text(timeout ?? 0))"
  }

  private var untilStopped: String {
    until == .ready ? "stopped when ready" : "stopped when it had \(until.doneText)"
  }

  private func ending(_ status: Int32, stopped: String?) -> RunEnding {
    let status = WaitStatus(status)
    guard let signal = status.signal else {
      let code = status.exitStatus ?? 0
      return stopped != nil && code == 0 ? .other(stopped!) : .exited(code)
    }
    if let stopped, signal == SIGTERM || signal == SIGKILL { return .other(stopped) }
    return .signalled(signal)
  }
}
