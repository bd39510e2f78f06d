import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A program started to be measured. Ends with its owner.
///
/// It runs unattended, and can be stopped to look at it. `ProgramRunner` is separate because its programs are
/// interactive: it forwards signals from the terminal, and waits for signals, not for the program's stops.
package final class MeasuredProgram {
  package let pid: pid_t
  package private(set) var isTraced: Bool
  /// CLOCK_MONOTONIC before it was started, seconds.
  package let startedAt: Double
  /// Its output on standard error.
  private let errors: ErrorLog?
  private let streams: LaunchStreams?
  /// How it ended, once it has, and what it used.
  package private(set) var ending: (status: WaitStatus, usage: rusage)?

  package enum Change {
    /// About to end, its memory still there.
    case ending
    case stopped
    case ended
  }

  package enum StartFailure: Error {
    /// The system lets us trace nothing.
    case notTraceable(String)
    case cannotStart(String)
  }

  /// - Parameters:
  ///   - input: what it reads; nil: nothing.
  ///   - streams: what it reads and writes; nil: `input`, and nothing is kept but its last errors.
  ///   - traced: stops it right after exec and before its end.
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
    // Swift runs this too if `init` throws; there is no process then, and 0 would be our process group.
    if ending == nil, pid > 0 {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      while true {
        let found = waitpid(pid, &status, 0)
        if found < 0 && errno != EINTR { break }
        if found == pid && !WaitStatus(status).isStop { break }
        // Traced, it stops once more before its end.
        fl_trace_continue(pid, 0)
      }
    }
  }

  /// Takes one change, if there is one; signals meant for a traced program are handed on.
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
      // Traced, a stop is a signal on its way, but for the one after exec.
      if !isTraced || !isRunning { return .stopped }
      fl_trace_continue(pid, fl_is_exec_stop(status) ? 0 : change.stopSignal)
    }
    return .ended
  }

  /// Whether a traced program has been let go on from its exec.
  package private(set) var isRunning = false

  /// Lets a traced program that is stopped go on: to its end, or for good.
  package func resume(untraced: Bool = false) {
    isRunning = true
    if untraced {
      fl_trace_detach(pid)
      isTraced = false
    } else {
      fl_trace_continue(pid, 0)
    }
  }

  /// The end of its output on standard error; empty if there was none.
  package var lastWords: String { streams?.lastWords ?? errors?.lastWords ?? "" }
}
