import FirstlightLauncher
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Receives termination signals (Ctrl-C, termination, hang-up) on a separate thread, so that
/// current work is finished or cleaned up first.
///
/// While this object lives, it receives the signals; afterwards they end the process again. Create
/// it before other threads start: a thread that has them unblocked would end the process.
package final class EndingSignals: Sendable {
  package static let all: [Int32] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// The signals that our caller does not ignore, as `nohup` does: once blocked, an ignored signal
  /// would be received like any other.
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

  /// Blocks the signals in this thread, and SIGCHLD: a `ProgramCommand` receives them, and work between two commands
  /// is finished first. Call before other threads start.
  package static func hold() {
    var held = set(heeded + [SIGCHLD])
    pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  private static let lastWork = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets the work to do before a signal ends this process; nil for none.
  package static func setLastWork(_ work: (@Sendable () -> Void)?) {
    lastWork.withLock { $0 = work }
  }

  /// Ends this process by a signal, so that its parent sees the same end as without this object.
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
    // The signal is sent to this thread. If it were sent to the process, another thread could get it,
    // and this one would reach the next line before the process ends (signal(7), "Process-directed").
    raise(signal)
    _exit(128 + signal)
  }

  private let signals: sigset_t
  private let before: sigset_t
  /// Readable when a signal is pending. Owned by this object.
  private let events: Int32
  private let stop: WakePipe
  private let thread: SignalFreeThread?

  /// Blocks the signals in this thread and receives pending ones.
  ///
  /// - Parameter take: called for each signal, first by this thread, then by the separate one.
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
