import FirstlightModel
import Glibc
import SystemSupport

/// How a program that was recorded ended.
package enum ProgramEnding: Equatable {
  case exited(Int32)
  case signalled(Int32)
  /// Ended on our SIGTERM or SIGKILL because the recording was over.
  case stopped(String)
  /// There was no program: the recording was read from a directory.
  case none

  /// For people.
  package var text: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signalled(let signal):
      "killed by signal \(WaitStatus.name(signal))"
    case .stopped(let why): "stopped \(why)"
    case .none: "recorded without firstlight record"
    }
  }
}
