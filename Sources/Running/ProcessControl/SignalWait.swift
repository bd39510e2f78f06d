import FirstlightModel
import Glibc
import SystemSupport

/// Waits for signals that every thread has blocked.
package struct SignalWait {
  private var signals: sigset_t

  package enum Event {
    /// - isFromKernel: what the terminal or a fault sent, to the whole process group.
    case signal(Int32, isFromKernel: Bool)
    case timeIsOver
    /// Look again: the wait was cut off.
    case nothing
  }

  package init(_ signals: sigset_t) { self.signals = signals }

  /// The next one. Time comes first: a program whose signals never cease would hide that it is over.
  ///
  /// - Parameter limit: CLOCK_MONOTONIC, seconds; nil: waits for good.
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

/// The signals that a thread has blocked.
package struct SignalMask {
  package var set: sigset_t

  /// The calling thread's.
  package static var current: SignalMask {
    var set = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &set)
    return SignalMask(set: set)
  }

  /// Makes it the calling thread's.
  package func use() {
    var set = set
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}

/// The result of waiting for a process, taken apart (wait(2): Swift imports none of the macros).
package struct WaitStatus: Equatable {
  package let raw: Int32

  package init(_ raw: Int32) { self.raw = raw }

  /// Whether it stands still, and has not ended.
  package var isStop: Bool { raw & 0xff == 0x7f }

  /// The signal that it stands still for.
  package var stopSignal: Int32 { raw >> 8 & 0xff }

  /// Of a process that ended by itself; nil: a signal killed it.
  package var exitStatus: Int32? { raw & 0x7f == 0 ? raw >> 8 & 0xff : nil }

  /// What killed it; nil: it ended by itself.
  package var signal: Int32? { raw & 0x7f == 0 ? nil : raw & 0x7f }

  /// Whether Ctrl-C ended it, or a command that it waited for: shells say that as 130.
  package var isInterrupted: Bool { signal == SIGINT || exitStatus == 128 + SIGINT }

  /// "ended with exit status 3", "was killed by signal 9 (Killed)".
  package var text: String {
    if let signal { return "was \(RunEnding.signalled(signal).outcome)" }
    return "ended with exit status \(exitStatus ?? 0)"
  }
}
