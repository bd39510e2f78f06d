import FirstlightLauncher
import FirstlightModel
import Glibc
import ProcessControl
import Synchronization
import SystemSupport

/// Starts a binary and measures its start-up until readiness.
package final class StartupMeter {
  package let moment: ReadinessCondition
  package let arguments: [String]
  package let timeout: Double
  package let surroundings: ProgramSurroundings
  /// The CPU that programs are pinned to; nil: any.
  package let pin: CPUPin?
  private let children: Int32
  /// An ending signal kills the programs first, and then removes the files they write to.
  private let signals: EndingSignals
  /// The process group of the running program.
  private let running = RunningGroup()
  /// Whether programs can be traced, as far as attempts have shown.
  private(set) var canTrace = true
  /// The longest interval between two checks of a port, seconds.
  private(set) var portResolution = 0.0
  /// Whether a program ended that had outlived its first task: its memory at its end is unknown.
  private(set) var hasLostMemory = false
  /// HTTP statuses of answers to a GET, other than 200.
  package private(set) var answers: Set<Int> = []

  /// The time that a program has to end after SIGTERM, seconds.
  private static let grace = 5.0

  /// The observations from one start.
  package struct Observation {
    package var run: StartupRun
    package var mappedFiles: [String] = []
    /// For each page of the binary.
    package var cached: [Bool] = []
    package var mapped: [Bool] = []
    /// Whether `mapped` contains exactly the touched pages.
    package var isExact = false
    package var exitStatus: Int32?
  }

  /// Blocks SIGCHLD in this thread for good, and ending signals during its lifetime. Must be created before
  /// other threads start.
  package init(
    moment: ReadinessCondition, arguments: [String], timeout: Double,
    surroundings: ProgramSurroundings = ProgramSurroundings(), pin: CPUPin? = nil
  ) throws(Failure) {
    self.surroundings = surroundings
    self.moment = moment
    self.pin = pin
    self.arguments = arguments
    self.timeout = timeout
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGCHLD)
    sigprocmask(SIG_BLOCK, &set, nil)
    signals = try EndingSignals { [running] signal in
      running.pass(signal)
      SpoolDirectory.removeAll()
      EndingSignals.end(by: signal)
    }
    children = fl_child_events()
    guard children >= 0 else {
      throw Failure(.system, "cannot wait for programs: \(ErrorText.of(errno))")
    }
  }

  deinit { close(children) }

  /// Makes a start whose time counts. If readiness was seen too late, repeats the start a few times.
  ///
  /// - Parameters:
  ///   - files: the files whose pages in memory before the start are counted.
  ///   - prepare: called before each start.
  package func measure(
    _ binary: MeasuredBinary, files: [FileCache] = [], prepare: () throws(Failure) -> Void
  ) throws(Failure) -> Observation {
    var attempt = 1
    while true {
      try prepare()
      let observation = try observe(binary, files: files)
      if observation.run.isResolved || attempt == Self.attempts { return observation }
      attempt += 1
    }
  }

  private static let attempts = 4

  /// Makes one start.
  ///
  /// - Parameters:
  ///   - exact: whether `mapped` must be exact. Such a start is slower, so its time does not count.
  ///   - files: the files whose pages in memory before the start are counted.
  package func observe(
    _ binary: MeasuredBinary, exact: Bool = false, files: [FileCache] = []
  ) throws(Failure) -> Observation {
    try surroundings.prepare()
    let spool = moment == .ready ? try SpoolDirectory() : nil
    defer { spool?.remove() }
    let watch = try ReadinessWatcher(
      moment, directory: spool?.path, input: surroundings.openInput())
    let before = files.map { ($0, $0.residentPages()) }
    let program = try start(
      binary, spool, watch, traced: canTrace && (exact || moment == .exit))
    running.group = program.pid
    defer { running.group = nil }
    var isExact = false
    if program.isTraced {
      guard case .stopped? = program.nextChange(wait: true) else {
        throw failure(binary, program, "ended before its first instruction")
      }
      fl_trace_exit(program.pid)
      if exact { isExact = SplitMappings.make(in: program.pid, of: binary) }
      program.resume(untraced: moment != .exit)
    }
    watch?.start(pid: program.pid)
    defer { watch?.finish() }
    try waitUntilReady(program, binary, watch)
    portResolution = max(portResolution, watch?.resolution ?? 0)
    if let answer = watch?.answer, answer != 200 { answers.insert(answer) }
    var observation = try look(at: program, binary)
    observation.run.values[.foundPages] = found(by: program, of: before)
    observation.isExact = isExact
    observation.run.lateness = (watch?.resolution ?? 0) * 1000
    observation.exitStatus = try end(program, binary)
    if let reachedAt = watch?.reachedAt {
      observation.run.values[.time] = (reachedAt - program.startedAt) * 1000
    } else if moment == .exit {
      observation.run.values[.time] = program.duration * 1000
      hasLostMemory = hasLostMemory || program.outlivesItsFirstTask
    }
    return observation
  }

  private func start(
    _ binary: MeasuredBinary, _ spool: SpoolDirectory?, _ watch: ReadinessWatcher?, traced: Bool
  ) throws(Failure) -> MeasuredProgram {
    let environment = surroundings.environment(
      with: ["FIRSTLIGHT_DIR": spool?.path, "FIRSTLIGHT_QUIET": "1"])
    let input = try surroundings.openInput()
    defer { close(input) }
    do throws(MeasuredProgram.StartFailure) {
      let start = { () throws(MeasuredProgram.StartFailure) in
        try MeasuredProgram(
          path: binary.cache.path, arguments: [binary.path] + self.arguments,
          environment: environment, input: input, streams: watch?.streams,
          traced: traced)
      }
      return if let pin { try pin.hold(start) } else { try start() }
    } catch {
      switch error {
      case .notTraceable:
        canTrace = false
        return try start(binary, spool, watch, traced: false)
      case .cannotStart(let reason):
        throw Failure(
          .data, "\(binary.title): cannot be started: \(reason)",
          advice: "run it by hand with the same arguments")
      }
    }
  }

  private func waitUntilReady(
    _ program: MeasuredProgram, _ binary: MeasuredBinary, _ watch: ReadinessWatcher?
  ) throws(Failure) {
    var limit = program.startedAt + timeout
    if case .duration(let seconds) = moment { limit = program.startedAt + seconds }
    while true {
      let left = max(0, Int64((limit - Clock.monotonic()) * 1e9))
      _ = fl_wait(children, watch?.descriptor ?? -1, left)
      fl_take_child_events(children)
      if watch?.reachedAt != nil { return }
      switch program.nextChange() {
      case .ending: return
      case .ended:
        if moment == .exit { return }
        throw failure(binary, program, "\(Self.ending(program)) before it had \(moment.doneText)")
      case .stopped, nil: break
      }
      if left == 0 {
        if case .duration = moment { return }
        throw failure(
          binary, program, "has not \(moment.doneText) within \(TimeText.text(timeout))")
      }
    }
  }

  /// Reads the program's memory while the program is stopped.
  private func look(
    at program: MeasuredProgram, _ binary: MeasuredBinary
  ) throws(Failure) -> Observation {
    if let ending = program.ending {
      // An untraced program is already gone; only its resource usage is left.
      return Observation(
        run: StartupRun(values: [
          .cpuTime: ending.usage.cpuTime,
          .minorFaults: Double(ending.usage.ru_minflt),
          .majorFaults: Double(ending.usage.ru_majflt),
        ]), cached: binary.cache.residentPages())
    }
    if !program.isTraced {
      kill(program.pid, SIGSTOP)
      if program.nextChange(wait: true) != .stopped {
        throw failure(binary, program, "ended right after it \(moment.doneText)")
      }
    }
    let cached = binary.cache.residentPages()
    guard let values = ProcessSnapshot.values(of: program.pid) else {
      throw Failure(.system, "\(binary.title): cannot read its memory map from /proc")
    }
    return Observation(
      run: StartupRun(values: values),
      mappedFiles: ProcessMapping.files(of: "\(program.pid)"), cached: cached,
      mapped: ProcessSnapshot.mappedPages(
        of: program.pid, path: binary.cache.path, pageCount: binary.cache.pageCount))
  }

  /// The number of the program's mapped pages of these files that were in memory before; nil if it has ended.
  private func found(
    by program: MeasuredProgram, of files: [(file: FileCache, wasInMemory: [Bool])]
  ) -> Double? {
    guard program.ending == nil, !files.isEmpty else { return nil }
    return files.reduce(0) { sum, watched in
      let mapped = ProcessSnapshot.mappedPages(
        of: program.pid, path: watched.file.path, pageCount: watched.file.pageCount)
      return sum + Double(zip(mapped, watched.wasInMemory).count { $0 && $1 })
    }
  }

  /// Ends the program.
  ///
  /// - Returns: its exit status, if it ended by itself.
  private func end(
    _ program: MeasuredProgram, _ binary: MeasuredBinary
  ) throws(Failure) -> Int32? {
    if moment == .exit {
      if program.ending == nil { program.resume() }
      waitForEnd(program, until: Clock.monotonic() + Self.grace)
      guard let status = program.ending?.status.exitStatus else {
        throw failure(binary, program, Self.ending(program))
      }
      return status
    }
    kill(program.pid, SIGTERM)
    kill(program.pid, SIGCONT)
    waitForEnd(program, until: Clock.monotonic() + Self.grace)
    return nil
  }

  private func waitForEnd(_ program: MeasuredProgram, until limit: Double) {
    while program.nextChange() != .ended {
      let left = limit - Clock.monotonic()
      if left <= 0 { kill(program.pid, SIGKILL) }
      _ = fl_wait(children, -1, left > 0 ? Int64(left * 1e9) : 100_000_000)
      fl_take_child_events(children)
    }
  }

  /// A process group, which an ending signal for us reaches as if it were ours.
  private final class RunningGroup: Sendable {
    private let leader = Mutex<pid_t?>(nil)

    var group: pid_t? {
      get { leader.withLock { $0 } }
      set { leader.withLock { $0 = newValue } }
    }

    func pass(_ signal: Int32) {
      leader.withLock { if let program = $0 { ChildProcess.signalGroup(of: program, signal) } }
    }
  }

  private static func ending(_ program: MeasuredProgram) -> String {
    program.ending?.status.text ?? "did not end"
  }

  private func failure(
    _ binary: MeasuredBinary, _ program: MeasuredProgram, _ what: String
  ) -> Failure {
    let words = program.lastWords
    return Failure(
      .data, "\(binary.title) \(what)" + (words.isEmpty ? "" : "; last output: \(words)"),
      advice: "run it by hand with the same arguments, and check --until and --timeout")
  }
}
