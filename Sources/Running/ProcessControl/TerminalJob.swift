import Glibc
import SystemSupport

/// A program in a process group of its own, at the terminal as if it were in ours.
///
/// What the program sends to its group reaches neither us nor our caller. The terminal signals its foreground group,
/// which is ours, so its signals are passed on. A program that reads from the terminal, or changes its settings, is
/// stopped by the kernel (SIGTTIN, SIGTTOU): then it gets the terminal, and goes on. While it has the terminal, Ctrl-Z
/// stops it, and we stop with our group, as a shell expects of a job.
package final class TerminalJob {
  /// The signals that the caller has blocked and passes to `take`.
  package static let signals = [SIGTSTP, SIGCONT]

  /// Nil once the program has ended: the kernel may give its number to others.
  private var group: pid_t?
  /// Our controlling terminal; -1 if there is none. Owned by this object.
  private let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
  /// Whether the program gets the terminal whenever we are in the foreground.
  private var isGiven = false

  /// - Parameter group: the program's process group.
  package init(_ group: pid_t) { self.group = group }

  deinit {
    programEnded()
    if terminal >= 0 { close(terminal) }
  }

  /// Takes the terminal back.
  package func programEnded() {
    takeBack()
    (isGiven, group) = (false, nil)
  }

  /// The shell may have taken the terminal meanwhile: then it is not ours.
  private func takeBack() {
    if isGiven, tcgetpgrp(terminal) == group { Self.give(terminal, to: getpgrp()) }
  }

  /// Sends a signal to the program's group, as the terminal would.
  package func pass(_ signal: Int32) { if let group { kill(-group, signal) } }

  /// Handles a signal for us.
  ///
  /// - Returns: whether it was one of `signals`.
  package func take(_ signal: Int32) -> Bool {
    switch signal {
    case SIGTSTP:
      pass(SIGTSTP)
      Self.stop(getpid(), by: SIGTSTP)
      goOn()
    case SIGCONT: goOn()
    default: return false
    }
    return true
  }

  /// The program has been stopped by a signal.
  package func programStopped(by signal: Int32) {
    guard terminal >= 0 else { return }
    let wantsTerminal = signal == SIGTTIN || signal == SIGTTOU
    if wantsTerminal, isForeground {
      isGiven = true
      goOn()
    } else if wantsTerminal || isGiven {
      takeBack()
      // Our whole group: that is what the terminal would have stopped.
      Self.stop(0, by: wantsTerminal ? signal : SIGTSTP)
      goOn()
    }
  }

  private var isForeground: Bool { tcgetpgrp(terminal) == getpgrp() }

  /// Lets the program go on, with the terminal if that is ours to give.
  private func goOn() {
    if isGiven, isForeground, let group { Self.give(terminal, to: group) }
    pass(SIGCONT)
  }

  private static func give(_ terminal: Int32, to group: pid_t) {
    // A background group that gives the terminal is stopped, unless it has this signal blocked.
    blocking(SIGTTOU, SIG_BLOCK) { _ = tcsetpgrp(terminal, group) }
  }

  /// Stops processes, and us among them, until the shell continues them. Does nothing if our group is orphaned, since
  /// nothing would continue it then.
  private static func stop(_ processes: pid_t, by signal: Int32) {
    kill(processes, signal)
    blocking(signal, SIG_UNBLOCK) {}
    // What continued us is not for the program, too.
    var (continued, atOnce) = (EndingSignals.set([SIGCONT]), timespec())
    sigtimedwait(&continued, nil, &atOnce)
  }

  private static func blocking(_ signal: Int32, _ how: Int32, _ body: () -> Void) {
    var (set, before) = (EndingSignals.set([signal]), sigset_t())
    pthread_sigmask(how, &set, &before)
    body()
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
