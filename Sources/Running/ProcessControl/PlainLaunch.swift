import FirstlightModel
import Glibc

/// Starts a program that records itself, or that is not recorded.
package struct PlainLaunch: ProgramLaunch {
  /// The program's standard streams; nil for ours.
  package let log: ProgramLog?
  /// Signals with their default action in the program, even if we ignore them.
  private let heeded: [Int32]
  /// Whether it gets its own process group, which signals from the terminal do not reach.
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

/// Starts the program to be recorded and reports its end.
package protocol ProgramLaunch {
  /// Receives the program's output and errors; nil for our own.
  var log: ProgramLog? { get }

  /// Starts the program with this signal mask; call `end` on SIGCHLD.
  ///
  /// - Parameters:
  ///   - environment: the program's variables, `NAME=VALUE` each.
  ///   - streams: its descriptors 0, 1, 2; nil for `log` or ours.
  /// - Throws: `Failure` of kind `notFound` or `notExecutable` if there is no such program or it
  ///   cannot be executed.
  mutating func start(
    _ command: [String], environment: ProgramEnvironment, mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t

  /// Whether `end` reaps every ended child, not only the program.
  var reapsAll: Bool { get }

  /// The program's wait status, once it has ended. Never blocks.
  mutating func end() -> Int32?

  /// Releases the other processes that it started.
  mutating func finish()
}

extension ProgramLaunch {
  package var reapsAll: Bool { false }

  /// Starts the program with `log`, or with our streams.
  package mutating func start(
    _ command: [String], environment: ProgramEnvironment, mask: sigset_t
  ) throws(Failure) -> pid_t {
    try start(command, environment: environment, mask: mask, streams: nil)
  }
}
