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
