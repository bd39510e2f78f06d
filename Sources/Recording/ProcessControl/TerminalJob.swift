import Glibc
import SystemSupport

/// A program in a process group of its own, at the terminal as if it were in ours.
///
/// What the program sends to its group reaches neither us nor our caller. The terminal signals its foreground group,
/// which is ours, so its signals are passed on. A program that reads from the terminal, or changes its settings, is
/// stopped by the kernel (SIGTTIN, SIGTTOU): then it gets the terminal, and goes on. While it has the terminal, Ctrl-Z
/// stops it, and we stop with our group, as a shell expects of a job. If it stops itself, so do we.
package final class TerminalJob {
  /// The signals that the caller has blocked and passes to `take`.
  package static let signals = [SIGTSTP, SIGCONT]

  /// Nil once the program has ended, or left its group: the kernel may give the group's number to others.
  private var group: pid_t? {
    guard let program, let started, getpgid(program) == started else { return nil }
    return started
  }
  /// Nil once it has ended.
  private var program: pid_t?
  private let started: pid_t?
  /// Our controlling terminal; -1 if there is none. Owned by this object.
  private let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
  /// Whether the program gets the terminal whenever we are in the foreground.
  private var isGiven = false
  /// Whether the program was asked to end, because it can have no terminal.
  private var isHungUp = false

  /// - Parameter program: leads a process group, or is in one that no other program is in.
  package init(of program: pid_t) {
    self.program = program
    let group = getpgid(program)
    started = group > 0 ? group : nil
  }

  deinit {
    programEnded()
    if terminal >= 0 { close(terminal) }
  }

  /// Takes the terminal back. What ended a program at the terminal was meant for our group, too: a loop of a script ends
  /// by Ctrl-C.
  package func programEnded(by signal: Int32? = nil) {
    let hadTerminal = takeBack()
    (isGiven, program) = (false, nil)
    if hadTerminal, let signal, [SIGINT, SIGQUIT].contains(signal) { kill(0, signal) }
  }

  /// The shell may have taken the terminal meanwhile: then it is not ours.
  ///
  /// - Returns: whether the program had the terminal.
  @discardableResult
  private func takeBack() -> Bool {
    guard isGiven, let started, tcgetpgrp(terminal) == started else { return false }
    Self.give(terminal, to: getpgrp())
    return true
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
      if Self.stop(0, by: wantsTerminal ? signal : SIGTSTP) || !wantsTerminal { return goOn() }
      // Our group is orphaned, so that no shell gives us the terminal. The kernel tells the stopped programs of such
      // a group so (setpgid(2)); a program that goes on all the same stays stopped.
      if !isHungUp {
        pass(SIGHUP)
        pass(SIGCONT)
      }
      isHungUp = true
    } else if isOwnJob, Self.stop(getpid(), by: SIGTSTP) || signal == SIGTSTP {
      // In an orphaned group, the kernel stops nothing that asks for it in this way.
      goOn()
    }
  }

  /// Whether our caller has given us a group, as a shell does that waits for its jobs' stops. Other callers wait until we
  /// end, and another process continues the program.
  private var isOwnJob: Bool { getpgid(getppid()) != getpgrp() }

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
  ///
  /// - Returns: whether we were stopped, and continued.
  @discardableResult
  private static func stop(_ processes: pid_t, by signal: Int32) -> Bool {
    kill(processes, signal)
    blocking(signal, SIG_UNBLOCK) {}
    // What continued us is not for the program, too.
    var (continued, atOnce) = (EndingSignals.set([SIGCONT]), timespec())
    return sigtimedwait(&continued, nil, &atOnce) > 0
  }

  private static func blocking(_ signal: Int32, _ how: Int32, _ body: () -> Void) {
    var (set, before) = (EndingSignals.set([signal]), sigset_t())
    pthread_sigmask(how, &set, &before)
    body()
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
