import FirstlightModel
import Glibc
import ProcessControl

/// Signals that ask this process to end, held back from now on: what is under way is tidied up
/// first. Make it before other threads start.
package struct HeldSignals {
  private let ending: Set<Int32>
  private let wait: SignalWait

  package init() {
    ending = Set(EndingSignals.heeded)
    var set = EndingSignals.set(Array(ending) + [SIGCHLD])
    wait = SignalWait(set)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// One that asks us to end; nil: none did, a child ended, or the time is over.
  ///
  /// - Parameter limit: CLOCK_MONOTONIC, seconds.
  func next(until limit: Double) -> Int32? {
    guard case .signal(let signal, _) = wait.next(until: limit) else { return nil }
    return ending.contains(signal) ? signal : nil
  }

  /// Throws if one asks us to end.
  func check() throws {
    var pending = sigset_t()
    sigpending(&pending)
    for signal in ending where sigismember(&pending, signal) == 1 {
      throw VerificationCommand.Interrupted(signal: signal)
    }
  }
}
