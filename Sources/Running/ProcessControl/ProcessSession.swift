import FirstlightModel
import Glibc
import SystemSupport

/// A command in its own session, together with all processes that it starts.
package final class ProcessSession {
  /// Process id of the command and id of the session.
  package let pid: pid_t
  /// The wait status of the command; nil while it runs. Never blocks.
  package var ending: WaitStatus? {
    if ended == nil {
      var status: Int32 = 0
      if waitpid(pid, &status, WNOHANG) == pid { ended = WaitStatus(status) }
    }
    return ended
  }
  private var ended: WaitStatus?

  /// - Parameter log: receives its output; it has no input.
  /// - Throws: like `PlainLaunch`.
  package init(_ command: [String], log: ProgramLog) throws(Failure) {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Self.newSession)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    log.add(to: &actions)
    var child: pid_t = 0
    let error = withCArguments(command) { arguments in
      ProgramEnvironment().withPointers { variables in
        posix_spawnp(&child, command[0], &actions, &attributes, arguments, variables)
      }
    }
    guard error == 0 else { throw .cannotStart(command[0], error) }
    pid = child
  }

  /// `POSIX_SPAWN_SETSID` of spawn.h, which Swift does not import.
  private static let newSession: Int16 = 0x80

  /// Waits for the command's end.
  package func wait() {
    guard ended == nil else { return }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    ended = WaitStatus(status)
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
        continue
      }
      if members.isEmpty { return }
      usleep(1000)
    }
  }

  deinit { end() }
}
