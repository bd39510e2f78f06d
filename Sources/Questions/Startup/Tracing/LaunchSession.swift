import FirstlightLauncher
import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import Recording
import SystemSupport
import TraceReader

/// One watched start of a program until readiness.
///
/// Everything happens on the calling thread, in which SIGCHLD and SIGURG have to be blocked. The session does
/// not share a supervisor, because the kernel ties a tracer to its thread, and the tracer consumes all results
/// of `waitpid`.
final class LaunchSession {
  let images: LaunchImages
  let command: [String]
  let until: ReadinessCondition
  let timeout: Double
  /// Whether to poll ports in addition to the tracer's reports.
  let looksForPort: Bool
  /// Reports the condition that the start waits for.
  private var words: StartupWait
  private let surroundings: ProgramSurroundings
  private let port: ListeningPort?
  // Owned; freed in deinit. The tracer calls this object, which outlives it.
  private var tracer: OpaquePointer!
  private var pid: pid_t = 0
  private var reached: Reached?
  /// Traces from the program's own runtime, if it contains one.
  private(set) var told: [Trace] = []
  /// The questions of look-ups, if those are watched.
  let lookups = LookupObserver()

  /// The end of the start-up.
  struct Reached {
    /// CLOCK_MONOTONIC, nanoseconds.
    var time: UInt64
    var faults: LaunchEvents.Faults
    /// Nanoseconds of CPU time of all threads; 0: unknown.
    var ran: UInt64
    /// Whether the time is exact: from a breakpoint, or from a time stamp of the program.
    var isTold: Bool
    /// For a time from polling: the interval between two checks, seconds.
    var resolution = 0.0

    /// Takes the current figures of the process.
    init(time: UInt64, process: pid_t, isTold: Bool) {
      self.time = time
      faults =
        ProcessStat(of: process).map { .init(minor: $0.minorFaults, major: $0.majorFaults) }
        ?? .init()
      ran = ProcessSnapshot.cpuTime(of: process).map { UInt64($0 * 1e6) } ?? 0
      self.isTold = isTold
    }
  }

  /// The result of a start.
  struct Outcome {
    var reached: Reached?
    /// The program's wait status; nil: it was still running.
    var status: WaitStatus?
    /// When its end was noticed: CLOCK_MONOTONIC, nanoseconds.
    var endedAt: UInt64 = 0
    /// Faults of a program that ran on untraced.
    var faults = LaunchEvents.Faults()
    /// When the wait was given up; nil: it was not.
    var givenUp: Reached?
    /// Ports on which the program listened then.
    var ports: [Int] = []
    var lastWords = ""
    /// The number of processes that were left when the program ended.
    var left = 0
  }

  /// The time that a program has to end after SIGTERM, seconds.
  private static let grace = 5.0

  init(
    _ images: LaunchImages, command: [String], surroundings: ProgramSurroundings,
    until: ReadinessCondition, timeout: Double, looksForPort: Bool,
    portCommand: ((Int) -> String)? = nil
  ) throws(Failure) {
    words = StartupWait(command[0], until: until, timeout: timeout, command: portCommand)
    try surroundings.prepare()
    self.surroundings = surroundings
    self.images = images
    self.command = command
    self.until = until
    self.timeout = timeout
    self.looksForPort = looksForPort
    port = until.listeningPort.map { ListeningPort($0) }
    var host = fl_tracer_host(
      context: Unmanaged.passUnretained(self).toOpaque(),
      choose: { LaunchSession.of($0).choose($1.pointee, $2) },
      loader_breakpoint: images.isEmpty
        ? nil : { LaunchSession.of($0).images.loaderPlace(String(cString: $1), $2) },
      problem: { LaunchSession.of($0).note($1, path: String(cString: $2), error: $3) },
      unwatched: nil, sink: nil, flags: Self.wishes(images), slice: 0,
      returned: { LaunchSession.of($0).returned($1, $2, $3, $4) },
      entered: { LaunchSession.of($0).entered($1.pointee) })
    tracer = fl_tracer_make(&host)
  }

  deinit { if let tracer { fl_tracer_free(tracer) } }

  private static func of(_ context: UnsafeMutableRawPointer?) -> LaunchSession {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  private static func wishes(_ images: LaunchImages) -> UInt32 {
    let returns = FL_TRACER_RETURNS.rawValue
    switch images.detail {
    case .plain: return returns
    case .stages(_, let isLetGo):
      let pinned = returns | FL_TRACER_PINNED.rawValue
      return isLetGo ? pinned | FL_TRACER_UP_TO_MAIN.rawValue : pinned
    case .details: return returns | FL_TRACER_PINNED.rawValue | FL_TRACER_LOADING.rawValue
    case .lookups: return returns | FL_TRACER_PINNED.rawValue | FL_TRACER_EVERY_CALL.rawValue
    }
  }

  private func note(_ problem: fl_tracer_problem, path: String, error: Int32) {
    let reason = error == 0 ? "" : ": \(ErrorText.of(error))"
    switch problem {
    case FL_TRACER_FILE_CHANGED: images.note("\(path): was replaced; it is not traced")
    case FL_TRACER_FILE_SHARED:
      images.note("\(path): is mapped shared (MAP_SHARED); it is not traced")
    case FL_TRACER_NO_LOADER:
      images.note("\(path): has no _dl_debug_state: libraries are not traced")
    case FL_TRACER_CHILD_UNRECORDED: images.note("\(path): a forked process ran untraced\(reason)")
    case FL_TRACER_CHILD_KILLED:
      images.note(
        "\(path): a forked process was killed, as its breakpoints could not be removed\(reason)")
    case FL_TRACER_CODE_COPIED:
      images.note(
        "\(path): met a breakpoint in a copy of its code; such a program cannot be traced")
    default: images.note("\(path): cannot be traced completely\(reason)")
    }
  }

  /// Whether to keep watching a function that is about to return.
  private func returned(
    _ process: pid_t, _ image: UInt32, _ function: UInt32, _ time: UInt64
  ) -> Bool {
    guard let port, reached == nil, image < images.entries.count else { return false }
    let entry = images.entries[Int(image)]
    guard case .listen = entry.place(entry.addresses[Int(function)]) else { return false }
    guard port.isOpen(process: process) else { return true }
    reached = Reached(time: time, process: process, isTold: true)
    return false
  }

  private func choose(
    _ file: fl_tracer_file, _ sites: UnsafeMutablePointer<fl_tracer_sites>
  ) -> Bool {
    lookups.mappingsChanged()
    return images.choose(file, sites)
  }

  private func entered(_ entry: fl_tracer_entry) {
    guard entry.process == pid, entry.image < images.entries.count else { return }
    let image = images.entries[Int(entry.image)]
    switch image.place(image.addresses[Int(entry.function)]) {
    case .lookup: lookups.note(entry)
    case .unusedIndex: images.unusedIndex = UnusedConformanceIndex(rawValue: entry.arguments.0)
    default: break
    }
  }

  /// Runs the program until it is ready, and then ends it.
  ///
  /// - Throws: `Failure` of kind `notFound` or `unavailable` if it cannot be started or traced.
  func run() throws(Failure) -> Outcome {
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
    try start(environment, streams)
    // From here on, this thread may be pinned to the CPU on which the program is loaded. The watcher is not
    // pinned.
    if let watch {
      let look = { [pid] in watch.start(pid: pid) { kill(getpid(), SIGURG) } }
      if let allowed { allowed.hold(look) } else { look() }
    }
    var outcome = wait(watch)
    if let spool, let said = try? TraceDirectory(path: spool.path).read() { told = said.traces }
    if until == .ready, let stamp = told.compactMap(\.ready).min() {
      // The program may have ended before its stamp was read.
      var reached = outcome.reached ?? self.reached(outcome, at: stamp, isTold: true)
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

  private func start(
    _ environment: ProgramEnvironment, _ streams: LaunchStreams
  ) throws(Failure) {
    var none = sigset_t()
    sigemptyset(&none)
    pid = try TracerStart.start(
      tracer, command, environment, mask: none, streams: streams.descriptors)
  }

  /// The event loop of a start.
  private func wait(_ watch: ReadinessWatcher?) -> Outcome {
    var outcome = Outcome()
    let before = Self.childUsage
    let signals = SignalWait(Self.watchedSignals)
    var limit = Clock.monotonic() + timeout
    var mayTalk = true
    if case .duration(let seconds) = until {
      limit = Clock.monotonic() + seconds
      mayTalk = false
    }
    while true {
      var status: Int32 = 0
      if fl_tracer_step(tracer, &status) {
        let isNews = outcome.status == nil
        outcome.status = WaitStatus(status)
        if isNews {
          outcome.endedAt = UInt64(Clock.monotonic() * 1e9)
          outcome.faults = Self.faults(since: before)
        }
        if until == .exit || fl_tracer_living(tracer) == 0 { break }
        // Several processes may have stopped, with a single signal.
        if isNews { continue }
      }
      if reached != nil { break }
      if let watch, let time = watch.reachedAt {
        reached = self.reached(outcome, at: UInt64(time * 1e9), isTold: watch.isExact)
        reached?.resolution = watch.resolution
        break
      }
      let event = signals.next(until: mayTalk ? min(limit, words.next) : limit)
      if case .signal(let signal, _) = event, EndingSignals.all.contains(signal) { giveUp(signal) }
      guard case .timeIsOver = event else { continue }
      if Clock.monotonic() < limit {
        words.look(at: livingProcesses)
        continue
      }
      if case .duration = until {
        reached = self.reached(outcome, at: UInt64(limit * 1e9), isTold: true)
      } else {
        outcome.givenUp = self.reached(outcome, at: UInt64(limit * 1e9), isTold: true)
        words.find(livingProcesses)
        outcome.ports = words.ports
      }
      break
    }
    if reached == nil, outcome.status != nil, let watch { reached = lastAction(outcome, watch) }
    outcome.reached = reached
    outcome.left = outcome.status == nil ? 0 : Int(fl_tracer_living(tracer))
    return outcome
  }

  /// The resource usage of all ended children.
  private static var childUsage: rusage {
    var usage = rusage()
    getrusage(Self.ofChildren, &usage)
    return usage
  }

  /// RUSAGE_CHILDREN of getrusage(2), which Swift imports with another type.
  private static let ofChildren: Int32 = -1

  private static func faults(since before: rusage) -> LaunchEvents.Faults {
    let now = childUsage
    return LaunchEvents.Faults(
      minor: UInt64(now.ru_minflt - before.ru_minflt),
      major: UInt64(now.ru_majflt - before.ru_majflt))
  }

  /// The processes of the start that may still run.
  private var livingProcesses: [pid_t] { Set(processes.map { pid_t($0.pid) } + [pid]).sorted() }

  /// The moment of readiness, if an ended program wrote the expected line, or answered, among its last actions.
  private func lastAction(_ outcome: Outcome, _ watch: ReadinessWatcher) -> Reached? {
    watch.finish()
    guard watch.isExact, let seconds = watch.reachedAt else { return nil }
    let time = UInt64(seconds * 1e9)
    // The action came before the end, even if it was read later.
    return reached(outcome, at: min(time, lastMoment?.time ?? time), isTold: true)
  }

  /// The moment, with the program's faults until then, or until its end if it is gone.
  private func reached(_ outcome: Outcome, at time: UInt64, isTold: Bool) -> Reached {
    var reached = Reached(time: time, process: pid, isTold: isTold)
    if outcome.status != nil, let end = lastMoment {
      reached.faults = LaunchEventReader.faults(end.faults)
    }
    return reached
  }

  /// When the last thread of the command's process ended.
  private var lastMoment: fl_tracer_moment? {
    let process = processes.last { $0.pid == mainThread && $0.forked_from < 0 }
    return process.flatMap { process in
      UnsafeBufferPointer(start: process.moments, count: Int(process.moment_count))
        .last { $0.kind == FL_TRACER_EXIT.rawValue }
    }
  }

  static let watchedSignals = EndingSignals.set([SIGCHLD, SIGURG] + EndingSignals.heeded)

  /// Ends on a signal, after killing the program and all its children.
  private func giveUp(_ signal: Int32) -> Never {
    fl_tracer_signal(tracer, SIGKILL)
    Self.leave(signal)
  }

  /// Passes the signal to the children's process groups, kills the children, and ends this process by the signal.
  static func leave(_ signal: Int32) -> Never {
    for child in children {
      ChildProcess.signalGroup(of: child, signal)
      kill(child, SIGKILL)
    }
    SpoolDirectory.removeAll()
    Terminal.clearProgress()
    EndingSignals.end(by: signal)
  }

  /// Ends and reaps the remaining processes.
  private func end(_ outcome: Outcome) {
    fl_tracer_signal(tracer, SIGTERM)
    fl_tracer_detach(tracer)
    if outcome.status == nil { kill(pid, SIGTERM) }
    Self.endChildren()
  }

  /// Waits for the end of all children, and kills slow ones.
  static func endChildren() {
    var limit = Clock.monotonic() + Self.grace
    let signals = SignalWait(Self.watchedSignals)
    while true {
      var status: Int32 = 0
      // Also waits for threads that are not the first of their process.
      let changed = waitpid(-1, &status, WNOHANG | Self.allThreads)
      if changed > 0 {
        // A thread that was created while the others were detached.
        if WaitStatus(status).isStop { fl_trace_detach(changed) }
        continue
      }
      if changed < 0, errno != EINTR { return }
      switch signals.next(until: limit) {
      case .timeIsOver:
        for child in Self.children { kill(child, SIGKILL) }
        limit = Clock.monotonic() + 1
      case .signal(let signal, _): if EndingSignals.all.contains(signal) { leave(signal) }
      case .nothing: break
      }
    }
  }

  /// __WALL of waitpid(2), which Swift does not import.
  private static let allThreads: Int32 = 0x4000_0000

  private static var children: [pid_t] {
    (ProcFile.text("/proc/thread-self/children") ?? "").split(at: " ").compactMap {
      pid_t($0)
    }
  }

  /// The tracer's records, one for each process; valid as long as this object.
  var processes: [fl_tracer_process] {
    (0..<fl_tracer_process_count(tracer)).map { fl_tracer_process_at(tracer, $0) }
  }

  var mainThread: UInt32 { UInt32(pid) }
}
