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

  func contains(_ signal: Int32) -> Bool {
    var set = set
    return sigismember(&set, signal) == 1
  }

  /// Applies the mask to the calling thread.
  package func use() {
    var set = set
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}
