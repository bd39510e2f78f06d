import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

extension RunEnding {
  /// Ends this process in the same way as the program.
  ///
  /// - Parameter result: whether anything was recorded, or why the recording could not be written.
  func finish(with result: Result<Bool, Failure>) -> Never {
    if case .failure(let failure) = result { Terminal.report("error: \(failure)") }
    switch self {
    case .signalled(let signal):
      // The program has already dumped core.
      EndingSignals.end(by: signal)
    case .exited(let status) where status != 0: exit(status)
    case .exited, .other:
      switch result {
      case .success(true): exit(0)
      case .success(false): exit(Failure.Kind.data.rawValue)
      case .failure(let failure): exit(failure.kind.rawValue)
      }
    }
  }
}
