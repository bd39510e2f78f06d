import FirstlightModel
import Glibc

/// Starts a program that records itself, or that nothing watches.
package struct PlainLaunch: ProgramLaunch {
  /// What it reads, writes and says errors to; nil: what we do.
  package let log: ProgramLog?
  /// Signals that do to it what they do by default, also where we ignore them.
  private let heeded: [Int32]
  /// Whether it leads a process group of its own, which signals from the terminal do not reach.
  private let leadsGroup: Bool
  private var child: pid_t = 0

  package init(log: ProgramLog? = nil, heeds heeded: [Int32] = [], leadsGroup: Bool = false) {
    self.log = log
    self.leadsGroup = leadsGroup
    self.heeded = heeded
  }

  package mutating func start(
    _ command: [String], environment: ProgramEnvironment, mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = mask
    posix_spawnattr_setsigmask(&attributes, &mask)
    var heeded = EndingSignals.set(heeded)
    posix_spawnattr_setsigdefault(&attributes, &heeded)
    posix_spawnattr_setflags(
      &attributes,
      Int16(
        POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
          | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let streams {
      for (number, stream) in streams.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
      }
    } else {
      log?.add(to: &actions)
    }

    let error = withCArguments(command) { arguments in
      environment.withPointers { variables in
        posix_spawnp(&child, command[0], &actions, &attributes, arguments, variables)
      }
    }
    guard error == 0 else { throw .cannotStart(command[0], error) }
    return child
  }

  package func end() -> Int32? {
    var status: Int32 = 0
    return waitpid(child, &status, WNOHANG) == child ? status : nil
  }

  package func finish() {}
}
