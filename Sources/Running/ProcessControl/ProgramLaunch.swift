import FirstlightModel
import Glibc

/// One way to start the program to be recorded and to learn of its end.
package protocol ProgramLaunch {
  /// What the program's output and errors go to; nil: to where ours do.
  var log: ProgramLog? { get }

  /// Starts the program with this signal mask; call `end` on SIGCHLD.
  ///
  /// - Parameters:
  ///   - environment: of the program, `NAME=VALUE` each.
  ///   - streams: its descriptors 0, 1, 2; nil: `log` or ours.
  /// - Throws: `Failure` of kind `notFound` or `notExecutable` if there is no such program or it
  ///   cannot be executed.
  mutating func start(
    _ command: [String], environment: ProgramEnvironment, mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t

  /// Whether `end` takes every child that has ended off the system, not the program alone.
  var reapsAll: Bool { get }

  /// The program's wait status once it has ended. Never blocks.
  mutating func end() -> Int32?

  /// Lets go of what else it started.
  mutating func finish()
}

extension ProgramLaunch {
  package var reapsAll: Bool { false }

  /// Starts the program with `log`, or with what we read and write.
  package mutating func start(
    _ command: [String], environment: ProgramEnvironment, mask: sigset_t
  ) throws(Failure) -> pid_t {
    try start(command, environment: environment, mask: mask, streams: nil)
  }
}
