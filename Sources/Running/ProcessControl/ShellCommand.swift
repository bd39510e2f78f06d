import FirstlightModel
import Glibc
import SystemSupport

/// A command run by the shell, with what it says in a file.
package struct ShellCommand {
  package let log: ProgramLog
  private let arguments: [String]
  private let environment: ProgramEnvironment

  /// - Parameter environment: changes of its environment.
  package init(_ command: String, environment: [String: String] = [:], log: ProgramLog) {
    arguments = ["/bin/sh", "-c", command]
    self.environment = ProgramEnvironment(environment)
    self.log = log
  }

  /// Runs it to its end; somebody who watches sees how long it has taken and its last line.
  ///
  /// - Returns: how it ended.
  /// - Throws: `Failure` of kind `system`, or as `PlainLaunch`.
  package func run(_ what: String) throws(Failure) -> WaitStatus {
    // Ctrl-C is the command's: we put things right when it has ended.
    let previous = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, previous) }
    var launch = PlainLaunch(log: log, heeds: [SIGINT])
    let child = try launch.start(
      arguments, environment: environment, mask: SignalMask.current.set)
    return wait(for: child, what)
  }

  private func wait(for child: pid_t, _ what: String) -> WaitStatus {
    let start = Clock.monotonic()
    var status: Int32 = 0
    // Without anybody to tell, there is nothing to do meanwhile.
    while waitpid(child, &status, Terminal.isWatched ? WNOHANG : 0) != child {
      guard Terminal.isWatched else { continue }
      let seconds = Int(Clock.monotonic() - start)
      Terminal.progress("\(what)  \(seconds) s  \(log.lastLine.prefix(60))")
      usleep(200_000)
    }
    Terminal.clearProgress()
    return WaitStatus(status)
  }
}
