import FirstlightLauncher
import Glibc
import ProcessControl
import Recording
import SystemSupport

/// The processes that a measurement started, and those that came from them.
enum LaunchChildren {
  /// The signals that a start waits for.
  static let watchedSignals = EndingSignals.set([SIGCHLD, SIGURG] + EndingSignals.heeded)

  /// The time that a program has to end after SIGTERM, seconds.
  private static let grace = 5.0
  /// __WALL of waitpid(2), which Swift does not import.
  private static let allThreads: Int32 = 0x4000_0000

  /// Waits for the end of all children, and kills slow ones.
  static func end() {
    var limit = Clock.monotonic() + grace
    let signals = SignalWait(watchedSignals)
    while true {
      var status: Int32 = 0
      // Also waits for threads that are not the first of their process.
      let changed = waitpid(-1, &status, WNOHANG | allThreads)
      if changed > 0 {
        // A thread that was created while the others were detached.
        if WaitStatus(status).isStop { fl_trace_detach(changed) }
        continue
      }
      if changed < 0, errno != EINTR { return }
      switch signals.next(until: limit) {
      case .timeIsOver:
        for child in children { kill(child, SIGKILL) }
        limit = Clock.monotonic() + 1
      case .signal(let signal, _): if EndingSignals.all.contains(signal) { leave(signal) }
      case .nothing: break
      }
    }
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

  private static var children: [pid_t] {
    (ProcFile.text("/proc/thread-self/children") ?? "").split(at: " ").compactMap { pid_t($0) }
  }
}
