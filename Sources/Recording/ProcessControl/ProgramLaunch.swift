import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// Starts the program to be recorded and reports its end.
package protocol ProgramLaunch {
  /// Receives the program's output and errors; nil for our own.
  var log: ProgramLog? { get }

  /// Starts the program in a process group of its own, with this signal mask; call `end` on SIGCHLD.
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

  /// The signal that has stopped the program since the last call, once `end` has seen it; nil: none.
  mutating func takeStop() -> Int32?

  /// Releases the other processes that it started.
  mutating func finish()

  /// After `finish`: the number of processes that are not in the recording, and what else is missing there.
  var missing: (processes: Int, problems: [String]) { get }
}

extension ProgramLaunch {
  package var reapsAll: Bool { false }
  package var missing: (processes: Int, problems: [String]) { (0, []) }
}
