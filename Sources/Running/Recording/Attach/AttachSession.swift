import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Watches running programs and writes a profile of their calls.
package struct AttachSession {
  private let target: AttachTarget
  private let globs: [String]
  private let budget: Double?
  private let engine: Attachment
  /// Termination signals, blocked until the profile is written.
  private let signals: SignalWait

  /// A finished window of watching.
  package struct Window {
    /// Nil if nothing is known of the watched functions.
    package let profile: Profile?
    package let cost: AttachCost
  }

  /// Forks the process that watches, so that it ends in order if this command is killed. Must come before other
  /// threads.
  ///
  /// A killed tracer leaves its breakpoints in the code. The kernel takes the probes of a killed process out, but
  /// leaves those of a link whose removal SIGKILL interrupts (Linux 6.18: "failed to unregister, leaking uprobe").
  ///
  /// - Returns: nil in the watcher's process, which goes on; in this one, how the watcher ended.
  /// - Throws: `.system` if no process can be made.
  package static func separateWatcher(_ engine: Attachment) throws(Failure) -> RunEnding? {
    var status: Int32 = 0
    let watcher = fl_tracer_separate(&status)
    guard watcher >= 0 else {
      throw Failure(.system, "cannot start the watcher's process: \(ErrorText.of(errno))")
    }
    guard watcher != 0 else { return nil }
    let ending = WaitStatus(status)
    guard let signal = ending.signal else { return .exited(ending.exitStatus ?? 0) }
    let harm =
      switch engine {
      case .ptrace: "the watched programs may end at their next breakpoint"
      case .probes: "functions of the watched programs may stay slower; attach again to mend that"
      }
    Terminal.report("error: the watcher \(ending.text): \(harm)")
    return .signalled(signal)
  }

  /// Checks the target and the machine, before anything is watched.
  ///
  /// - Parameters:
  ///   - text: a process id, the file or the name of a program, or a systemd unit.
  ///   - globs: libraries to watch besides the program's own.
  ///   - budget: the largest share of one processor that the programs may lose; nil: no limit.
  ///   - engine: how to watch.
  /// - Throws: `.unavailable` if the kernel or the user's rights do not allow it; `.noInput` if nothing runs
  ///   under that name.
  package init(
    _ text: String, globs: [String], budget: Double?, engine: Attachment
  ) throws(Failure) {
    self.engine = engine
    self.globs = globs
    self.budget = budget
    target = AttachTarget(text)
    if engine == .probes, let refusal = KernelEngine.refusal() { throw refusal }
    var blocked = EndingSignals.set(EndingSignals.heeded + [SIGCHLD])
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    signals = SignalWait(blocked)
  }

  /// Watches once, and writes the profile.
  ///
  /// - Parameters:
  ///   - seconds: nil: until a signal comes, or the process has ended.
  ///   - path: the profile's path.
  package func window(for seconds: Double?, to path: String) throws(Failure) -> Window {
    var watch: any AttachWatch =
      switch engine {
      case .probes: try ProbeWatch(target, globs: globs, budget: budget)
      case .ptrace: try TracerWatch(target, globs: globs, budget: budget)
      }
    // Reading a large program takes seconds, and only then does the watch begin.
    let startedAt = Clock.realtime()
    Terminal.report(beginning(watch, seconds))
    try watch.run(for: seconds, signals)
    let endedAt = Clock.realtime()
    var recording = watch.finish()
    recording.noteUnwatched()
    let spool = try SpoolDirectory()
    defer { spool.remove() }
    let run = run(in: spool, of: watch, from: startedAt, to: endedAt)
    let profile = try RecordingSession.save(run, watched: recording, to: path)
    return Window(profile: profile, cost: watch.cost)
  }

  /// Watches, and passes all calls so far to `take` at intervals and at the end.
  ///
  /// A watch lasts one day (UTC), so that each day shows all its calls. The next watch begins before the last one
  /// ends, so that no first call falls between them.
  ///
  /// - Parameters:
  ///   - seconds: as for `window(for:to:)`.
  ///   - every: the interval in seconds.
  ///   - take: called with the number of the watch, and a profile without names.
  package func windows(
    for seconds: Double?, every: Double,
    _ take: (_ watch: Int, Profile) throws(Failure) -> Void
  ) throws(Failure) -> AttachCost {
    let end = seconds.map { Clock.monotonic() + $0 }
    var watch = try ProbeWatch(target, globs: globs, budget: budget)
    var (startedAt, number, cost) = (Clock.realtime(), 0, AttachCost())
    Terminal.report(beginning(watch, seconds))
    while true {
      let midnight = Self.day - Clock.realtime().truncatingRemainder(dividingBy: Self.day)
      let left = end.map { max(0, $0 - Clock.monotonic()) }
      let isOver = try !watch.run(for: min(every, midnight, left ?? every), signals)
      let now = Clock.realtime()
      let isLast = isOver || end.map { Clock.monotonic() >= $0 } ?? false
      let isOtherDay = (now / Self.day).rounded(.down) != (startedAt / Self.day).rounded(.down)
      // If no program runs at that moment, this watch also covers the next day.
      let next =
        isLast || !isOtherDay ? nil : try? ProbeWatch(target, globs: globs, budget: budget)
      let nextStart = Clock.realtime()
      if next == nil { watch.addPrograms() }
      var recording = isLast || next != nil ? watch.finish() : watch.seen()
      recording.noteUnwatched()
      let spool = try SpoolDirectory()
      defer { spool.remove() }
      let run = run(in: spool, of: watch, from: startedAt, to: now)
      let profile = try ProfileAssembler(run: run).profile(watched: recording, detail: .symbols)
      if !profile.processes.isEmpty { try take(number, profile) }
      if isLast { return cost + watch.cost }
      if let next {
        cost = cost + watch.cost
        (watch, startedAt, number) = (next, nextStart, number + 1)
      }
    }
  }

  private static let day = 86400.0

  private func run(
    in spool: SpoolDirectory, of watch: any AttachWatch, from start: Double, to end: Double
  ) -> RecordedRun {
    var run = RecordedRun(
      directory: spool.path, command: [watch.paths[0]], startedAt: start, endedAt: end,
      ending: .other("watched for \(TimeText.text(end - start))"))
    run.attachment = engine
    return run
  }

  private func beginning(_ watch: any AttachWatch, _ seconds: Double?) -> String {
    let by = engine == .probes ? "the kernel's probes" : "ptrace"
    let end = seconds.map { " for \(TimeText.text($0))" } ?? "; Ctrl-C ends it"
    return "watching \(CountText.text(watch.functionCount, "function")) of "
      + "\(watch.paths.joined(separator: ", ")) in "
      + (watch.processCount == 0
        ? "processes yet to start" : CountText.text(watch.processCount, "process", "processes"))
      + " by \(by)\(end); up to "
      + CountText.bytes(UInt64(watch.pageCount) * UInt64(sysconf(Int32(_SC_PAGESIZE))))
      + " of code becomes private memory in each"
  }
}
