import FirstlightModel
import Glibc
import SystemSupport

/// Waits for signals that every thread has blocked.
package struct SignalWait {
  private var signals: sigset_t

  package enum Event {
    /// - isFromKernel: whether the terminal or a fault sent it, to the whole process group.
    case signal(Int32, isFromKernel: Bool)
    case timeIsOver
    /// The wait was interrupted; wait again.
    case nothing
  }

  package init(_ signals: sigset_t) { self.signals = signals }

  /// The next event. Time takes precedence: otherwise a program with endless signals would hide the timeout.
  ///
  /// - Parameter limit: CLOCK_MONOTONIC, seconds; nil for no limit.
  package func next(until limit: Double?) -> Event {
    var signals = signals
    var information = siginfo_t()
    let signal: Int32
    if let limit {
      let left = limit - Clock.monotonic()
      if left <= 0 { return .timeIsOver }
      var span = Clock.timespec(left)
      signal = sigtimedwait(&signals, &information, &span)
    } else {
      signal = sigwaitinfo(&signals, &information)
    }
    return signal < 0 ? .nothing : .signal(signal, isFromKernel: information.si_code > 0)
  }
}

/// The blocked signals of a thread.
package struct SignalMask {
  package var set: sigset_t

  /// The calling thread's mask.
  package static var current: SignalMask {
    var set = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &set)
    return SignalMask(set: set)
  }

  /// Applies the mask to the calling thread.
  package func use() {
    var set = set
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}

/// The status of a waited process, decoded (wait(2): Swift imports none of the macros).
package struct WaitStatus: Equatable {
  package let raw: Int32

  package init(_ raw: Int32) { self.raw = raw }

  /// Whether the process is stopped, not ended.
  package var isStop: Bool { raw & 0xff == 0x7f }

  /// The signal that stopped it.
  package var stopSignal: Int32 { raw >> 8 & 0xff }

  /// The exit status; nil if a signal killed the process.
  package var exitStatus: Int32? { raw & 0x7f == 0 ? raw >> 8 & 0xff : nil }

  /// The signal that killed it; nil if it exited.
  package var signal: Int32? { raw & 0x7f == 0 ? nil : raw & 0x7f }

  /// Whether Ctrl-C ended the process, or a command that it waited for: shells report that as 130.
  package var isInterrupted: Bool { signal == SIGINT || exitStatus == 128 + SIGINT }

  /// "ended with exit status 3", "was killed by signal 9 (Killed)".
  package var text: String {
    if let signal { return "was \(RunEnding.signalled(signal).outcome)" }
    return "ended with exit status \(exitStatus ?? 0)"
  }
}
