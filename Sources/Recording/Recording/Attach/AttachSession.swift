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

  /// Watches, and writes the profile.
  ///
  /// - Parameters:
  ///   - seconds: nil: until a signal comes, or the process has ended.
  ///   - path: the profile's path.
  package func window(for seconds: Double?, to path: String) throws(Failure) -> Window {
    let spool = try SpoolDirectory()
    var run = RecordedRun(directory: spool.path, command: [])
    let watch: any AttachWatch
    do throws(Failure) {
      watch = try self.watch(for: seconds, into: spool.path, &run, keepsFiles: true)
    } catch {
      spool.remove()
      throw error
    }
    let profile = try RecordingSession.save(run, from: spool, open: watch.images, to: path)
    return Window(profile: profile, cost: watch.cost)
  }

  /// Watches, and leaves the recordings in a spool, where a firstlightd counts them.
  ///
  /// - Parameter seconds: as for `window(for:to:)`.
  package func record(for seconds: Double?, into spool: String) throws(Failure) -> AttachCost {
    var run = RecordedRun(directory: spool, command: [])
    let watch = try watch(for: seconds, into: spool, &run, keepsFiles: false)
    for problem in run.missing.problems { Terminal.report("warning: \(problem)") }
    guard run.missing.processes == 0 else {
      throw Failure(
        .cannotCreate,
        "\(CountText.text(run.missing.processes, "process was", "processes were")) not recorded, and no recording "
          + "in \(spool) counts them")
    }
    return watch.cost
  }

  private func watch(
    for seconds: Double?, into folder: String, _ run: inout RecordedRun, keepsFiles: Bool
  ) throws(Failure) -> any AttachWatch {
    // What is called while the probes are planted belongs to the watch.
    run.startedAt = Clock.realtime()
    let folder = try WatchFolder(folder)
    var watch: any AttachWatch =
      switch engine {
      case .probes:
        try ProbeWatch(
          target, globs: globs, budget: budget, into: folder, keepsFiles: keepsFiles)
      case .ptrace: try TracerWatch(target, globs: globs, budget: budget, into: folder)
      }
    // A tracer learns of each process before that runs. In a spool, processes that start later count with the next watch.
    let marker =
      engine == .probes && keepsFiles ? try WatchMarker(watch.paths[0], in: folder) : nil
    Terminal.report(beginning(watch, seconds))
    do throws(Failure) { try watch.run(for: seconds, signals) } catch {
      watch.finish(inOrder: false)
      throw error
    }
    watch.finish(inOrder: true)
    marker?.remove()
    run.command = [watch.paths[0]]
    run.endedAt = Clock.realtime()
    run.ending = .other("watched for \(TimeText.text(run.endedAt - run.startedAt))")
    run.missing = watch.missing
    return watch
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
