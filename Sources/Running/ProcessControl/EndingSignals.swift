import FirstlightLauncher
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Signals that ask this process to end (Ctrl-C, termination, hang-up), taken by a thread of its own: what
/// is under way is finished or tidied up first.
///
/// Lives as long as it is to take them; then they end the process again. Make it before other threads
/// start: a thread that leaves them unblocked would be ended by them.
package final class EndingSignals: Sendable {
  package static let all: [Int32] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// Those that our caller does not have us ignore, as `nohup` does: blocked, an ignored signal would be
  /// taken like any other.
  package static var heeded: [Int32] {
    all.filter { signal in
      var action = sigaction()
      sigaction(signal, nil, &action)
      // SIG_IGN is the address 1.
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1
    }
  }

  package static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }

  private static let lastWork = Mutex<(@Sendable () -> Void)?>(nil)

  /// What is done before a signal ends this process; nil: nothing.
  package static func setLastWork(_ work: (@Sendable () -> Void)?) {
    lastWork.withLock { $0 = work }
  }

  /// Ends this process by a signal, so that its parent sees the same end as without us.
  package static func end(by signal: Int32) -> Never {
    lastWork.withLock { work in
      work?()
      work = nil
    }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    Glibc.signal(signal, SIG_DFL)
    var unblocked = set([signal])
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    // To this thread: of those that leave a core, one sent to the process may be another thread's, and
    // this one would get to the line below before that one ends us (signal(7), "Process-directed").
    raise(signal)
    _exit(128 + signal)
  }

  private let signals: sigset_t
  private let before: sigset_t
  /// Can be read when one is pending. Ours until deinit.
  private let events: Int32
  private let stop: WakePipe
  private let thread: SignalFreeThread?

  /// Blocks them in this thread and takes those that are pending.
  ///
  /// - Parameter take: called for each, first by this thread, then by the one of its own.
  /// - Throws: `Failure` of kind `system`.
  package init(_ take: @escaping @Sendable (Int32) -> Void) throws(Failure) {
    var heeded = Self.set(Self.heeded)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &heeded, &before)
    (signals, self.before) = (heeded, before)
    stop = try WakePipe()
    events = fl_signal_events(&heeded)
    guard events >= 0 else {
      throw Failure(.system, "cannot wait for signals: \(ErrorText.of(errno))")
    }
    Self.takePending(signals, take)
    let (signals, events, stop) = (signals, events, stop)
    thread = SignalFreeThread {
      while fl_wait(stop.output, events, -1) & Int32(FL_WAIT_FIRST) == 0 {
        Self.takePending(signals, take)
      }
    }
  }

  deinit {
    stop.ring()
    thread?.join()
    if events >= 0 { close(events) }
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private static func takePending(_ signals: sigset_t, _ take: (Int32) -> Void) {
    var signals = signals
    var atOnce = timespec()
    while true {
      let signal = sigtimedwait(&signals, nil, &atOnce)
      if signal > 0 { take(signal) } else if errno != EINTR { return }
    }
  }
}
