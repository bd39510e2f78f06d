import FirstlightModel
import Glibc
import SystemSupport

/// A shell command with its output in a file.
package struct ShellCommand {
  package let log: ProgramLog
  private let arguments: [String]
  private let environment: ProgramEnvironment

  /// - Parameter environment: changes of the command's environment.
  package init(_ command: String, environment: [String: String] = [:], log: ProgramLog) {
    arguments = ["/bin/sh", "-c", command]
    self.environment = ProgramEnvironment(environment)
    self.log = log
  }

  /// Runs the command to its end. A terminal shows the elapsed time, and the last line.
  ///
  /// - Returns: the wait status.
  /// - Throws: `Failure` of kind `system`, or like `PlainLaunch`.
  package func run(_ what: String) throws(Failure) -> WaitStatus {
    // Ctrl-C is for the command; we clean up after it has ended.
    let previous = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, previous) }
    var launch = PlainLaunch(log: log)
    _ = try launch.start(arguments, environment: environment, mask: SignalMask.current.set)
    guard let status = wait(for: launch, what) else {
      throw Failure(.system, "\(what): the end of the command is unknown")
    }
    return status
  }

  /// The end of a command, and the termination signal that we received meanwhile.
  package struct Ending {
    package var status: WaitStatus
    package var signal: Int32?
  }

  /// Runs the command to its end in its own process group. Termination signals are forwarded to the
  /// whole group, and on return all its processes have ended and write nothing more.
  ///
  /// - Throws: `Failure` of kind `system`, or like `PlainLaunch`.
  package func runToEnd(_ what: String) throws(Failure) -> Ending {
    let before = SignalMask.current
    var waited = EndingSignals.set([SIGCHLD] + EndingSignals.heeded)
    pthread_sigmask(SIG_BLOCK, &waited, nil)
    defer { before.use() }
    var launch = PlainLaunch(log: log, leadsGroup: true)
    let child = try launch.start(arguments, environment: environment, mask: before.set)
    let signals = SignalWait(waited)
    let start = Clock.monotonic()
    var asked: [Int32] = []
    while true {
      if let status = launch.end() {
        if !asked.isEmpty { Self.endGroup(child) }
        Terminal.clearProgress()
        return Ending(status: WaitStatus(status), signal: asked.first)
      }
      let limit = Terminal.isWatched ? Clock.monotonic() + 0.2 : nil
      if case .signal(let signal, _) = signals.next(until: limit), signal != SIGCHLD {
        asked.append(signal)
        kill(-child, asked.count > 2 ? SIGKILL : signal)
      }
      showProgress(what, since: start)
    }
  }

  /// Waits for the remaining processes of a group that was asked to end.
  private static func endGroup(_ group: pid_t) {
    let limit = Clock.monotonic() + 2
    while kill(-group, 0) == 0 {
      if Clock.monotonic() > limit { kill(-group, SIGKILL) }
      usleep(5000)
    }
  }

  private func showProgress(_ what: String, since start: Double) {
    guard Terminal.isWatched else { return }
    let seconds = Int(Clock.monotonic() - start)
    Terminal.progress("\(what)  \(seconds) s  \(log.lastLine.prefix(60))")
  }

  private func wait(for launch: PlainLaunch, _ what: String) -> WaitStatus? {
    let start = Clock.monotonic()
    // Without a terminal there is no progress to show, so wait for the end.
    while Terminal.isWatched {
      if let status = launch.end() {
        Terminal.clearProgress()
        return WaitStatus(status)
      }
      showProgress(what, since: start)
      usleep(200_000)
    }
    return launch.wait()
  }
}
