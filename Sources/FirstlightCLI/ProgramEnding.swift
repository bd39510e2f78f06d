import FirstlightModel
import Glibc

/// How the recorded program ended, and how the recorder ends after it.
enum ProgramEnding: Equatable {
  case exited(Int32)
  case signalled(Int32)
  /// Ended on our SIGTERM or SIGKILL because the recording was over.
  case stopped(String)
  /// There was no program: the recording was read from a directory.
  case none

  /// For people.
  var text: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signalled(let signal):
      "killed by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .stopped(let why): "stopped \(why)"
    case .none: "not run by us"
    }
  }

  /// Ends this process as the program ended.
  ///
  /// - Parameter result: whether anything was recorded, or why it could not be written.
  func finish(with result: Result<Bool, Failure>) -> Never {
    if case .failure(let failure) = result { Terminal.complain("error: \(failure)") }
    switch self {
    case .signalled(let signal):
      // The program has left its own core.
      EndingSignals.end(by: signal)
    case .exited(let status) where status != 0: exit(status)
    case .exited, .stopped, .none:
      switch result {
      case .success(true): exit(0)
      case .success(false): exit(Failure.Kind.data.rawValue)
      case .failure(let failure): exit(failure.kind.rawValue)
      }
    }
  }
}
