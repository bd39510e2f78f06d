import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A program started for a measurement. It is killed with this object.
///
/// It runs unattended in a process group of its own, and can be stopped for an inspection. `ProgramRunner` is
/// separate because its programs are interactive: it forwards signals from the terminal, and waits for signals, not
/// for the program's stops.
package final class MeasuredProgram {
  private let child: ChildProcess
  package var pid: pid_t { child.pid }
  package private(set) var isTraced: Bool
  /// CLOCK_MONOTONIC before the start, seconds.
  package var startedAt: Double { child.startedAt }
  /// Its output on standard error.
  private let errors: ProgramLog?
  private let streams: LaunchStreams?
  /// The wait status and resource usage of the ended program.
  package private(set) var ending: (status: WaitStatus, usage: rusage)?
  /// Seconds from its start until its end was seen, without those in which it was held.
  package private(set) var duration = 0.0
  /// Whether its first task ended before others did, or its program was executed by another task: then it is traced no
  /// more, and does not stop before its end.
  package private(set) var outlivesItsFirstTask = false
  /// Seconds in which it was held at stops, and when the present one began.
  private var held = 0.0
  private var heldSince: Double?

  package enum Change {
    /// About to end, with its memory still present.
    case ending
    case stopped
    case ended
  }

  package enum StartFailure: Error {
    /// The system denies tracing.
    case notTraceable(String)
    case cannotStart(String)
  }

  /// - Parameters:
  ///   - input: the program's input; nil for none.
  ///   - streams: the program's streams; nil for `input`, with only the last errors kept.
  ///   - traced: whether to stop it right after exec and before its end.
  package init(
    path: String, arguments: [String], environment: ProgramEnvironment, input: Int32? = nil,
    streams: LaunchStreams? = nil, traced: Bool
  ) throws(StartFailure) {
    let said = streams == nil ? try? ProgramLog() : nil
    self.streams = streams
    errors = said
    isTraced = traced
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    let files = streams?.descriptors ?? [input ?? null, null, said?.descriptor ?? null]
    do throws(ChildProcess.Refusal) {
      child = try ChildProcess(
        arguments, program: path, environment: environment, streams: files,
        group: FL_APART_GROUP, diesWithUs: true, traced: traced)
    } catch {
      let reason = ErrorText.of(error.error)
      throw error.isOfTracing ? .notTraceable(reason) : .cannotStart(reason)
    }
  }

  deinit {
    guard ending == nil else { return }
    kill(pid, SIGKILL)
    // A traced program stops once more before its end.
    while let change = child.change(wait: true), change.status.isStop { fl_trace_continue(pid, 0) }
  }

  /// Returns the next change, if there is one; signals for a traced program are delivered.
  ///
  /// - Parameter wait: whether to wait for one.
  package func nextChange(wait: Bool = false) -> Change? {
    while ending == nil {
      guard let (change, usage) = child.change(wait: wait, stops: true) else { return nil }
      let now = Clock.monotonic()
      if !change.isStop {
        ending = (change, usage)
        duration = now - startedAt - held
        return .ended
      }
      if isTraced { heldSince = now }
      if fl_is_exit_stop(change.raw) {
        if LiveProcess.ends(withFirstTask: pid) { return .ending }
        outlivesItsFirstTask = true
        heldSince = nil  // The others were not held.
        resume(untraced: true)
        continue
      }
      // A traced program's stop is a signal delivery, except for the one after exec.
      if !isTraced || !isRunning { return .stopped }
      fl_trace_continue(pid, fl_is_exec_stop(change.raw) ? 0 : change.stopSignal)
      isHeldNoMore()
    }
    return .ended
  }

  /// Whether a traced program was resumed after its exec.
  package private(set) var isRunning = false

  /// Resumes a stopped traced program: with tracing, or untraced from now on.
  package func resume(untraced: Bool = false) {
    isRunning = true
    if untraced {
      fl_trace_detach(pid)
      isTraced = false
    } else {
      fl_trace_continue(pid, 0)
    }
    isHeldNoMore()
  }

  private func isHeldNoMore() {
    if let since = heldSince { held += Clock.monotonic() - since }
    heldSince = nil
  }

  /// The last line on standard error; empty if there is none.
  package var lastWords: String { streams?.lastWords ?? errors?.lastLine ?? "" }
}
