import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A program started for a measurement. It is killed with this object.
///
/// It runs unattended, and can be stopped for an inspection. `ProgramRunner` is separate because its programs
/// are interactive: it forwards signals from the terminal, and waits for signals, not for the program's stops.
package final class MeasuredProgram {
  package let pid: pid_t
  package private(set) var isTraced: Bool
  /// CLOCK_MONOTONIC before the start, seconds.
  package let startedAt: Double
  /// Its output on standard error.
  private let errors: ErrorLog?
  private let streams: LaunchStreams?
  /// The wait status and resource usage of the ended program.
  package private(set) var ending: (status: WaitStatus, usage: rusage)?

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
    let said = streams == nil ? try? ErrorLog() : nil
    self.streams = streams
    errors = said
    isTraced = traced
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    var child = pid_t()
    var failed = FL_LAUNCH_START
    var started = 0.0
    let error = path.withCString { path in
      withCArguments(arguments) { words in
        environment.withPointers { variables in
          var launch = fl_launch(
            path: path, arguments: words, environment: variables,
            input: streams?.descriptors[0] ?? input ?? null,
            output: streams?.descriptors[1] ?? null,
            errors: streams?.descriptors[2] ?? said?.descriptor ?? null, traced: traced)
          started = Clock.monotonic()
          return fl_launch_program(&launch, &child, &failed)
        }
      }
    }
    pid = child
    startedAt = started
    guard error == 0 else {
      let reason = ErrorText.of(error)
      throw failed == FL_LAUNCH_TRACE ? .notTraceable(reason) : .cannotStart(reason)
    }
  }

  deinit {
    // Swift also runs this if `init` throws; there is no process then, and 0 would be our process group.
    if ending == nil, pid > 0 {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      while true {
        let found = waitpid(pid, &status, 0)
        if found < 0 && errno != EINTR { break }
        if found == pid && !WaitStatus(status).isStop { break }
        // A traced program stops once more before its end.
        fl_trace_continue(pid, 0)
      }
    }
  }

  /// Returns the next change, if there is one; signals for a traced program are delivered.
  ///
  /// - Parameter wait: whether to wait for one.
  package func nextChange(wait: Bool = false) -> Change? {
    while ending == nil {
      var status: Int32 = 0
      var usage = rusage()
      let found = wait4(pid, &status, (wait ? 0 : WNOHANG) | WUNTRACED, &usage)
      if found < 0 && errno == EINTR { continue }
      guard found == pid else { return nil }
      let change = WaitStatus(status)
      if !change.isStop {
        ending = (change, usage)
        return .ended
      }
      if fl_is_exit_stop(status) { return .ending }
      // A traced program's stop is a signal delivery, except for the one after exec.
      if !isTraced || !isRunning { return .stopped }
      fl_trace_continue(pid, fl_is_exec_stop(status) ? 0 : change.stopSignal)
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
  }

  /// The last line on standard error; empty if there is none.
  package var lastWords: String { streams?.lastWords ?? errors?.lastWords ?? "" }
}
