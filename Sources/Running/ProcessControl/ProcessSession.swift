import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A command in its own session, together with all processes that it starts.
package final class ProcessSession {
  private let command: ChildProcess
  /// Process id of the command and id of the session.
  package var pid: pid_t { command.pid }
  /// The wait status of the command; nil while it runs. Never blocks.
  package var ending: WaitStatus? {
    if ended == nil { ended = command.change()?.status }
    return ended
  }
  private var ended: WaitStatus?

  /// - Parameter log: receives its output; it has no input.
  /// - Throws: like `PlainLaunch`.
  package init(_ command: [String], log: ProgramLog) throws(Failure) {
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { if input >= 0 { close(input) } }
    do throws(ChildProcess.Refusal) {
      self.command = try ChildProcess(
        command, environment: ProgramEnvironment(),
        streams: [input, log.descriptor, log.descriptor], group: FL_OWN_SESSION)
    } catch { throw .cannotStart(command[0], error.error) }
  }

  /// Waits for the command's end.
  package func wait() {
    if ended == nil { ended = command.change(wait: true)?.status }
  }

  /// Kills all remaining processes of the session at once.
  package func end() {
    // Processes started meanwhile are found in the next round.
    while true {
      let members = ProcessTable.members(ofSession: pid)
      for member in members { kill(member, SIGKILL) }
      if ended == nil {
        kill(pid, SIGKILL)
        wait()
        if ended != nil { continue }
      }
      if members.isEmpty { return }
      usleep(1000)
    }
  }

  deinit { end() }
}
