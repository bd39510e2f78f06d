import FirstlightModel
import Glibc
import ProcessControl
import ProfileFile
import Synchronization
import SystemSupport

/// Protects a recording between the program's end and the end of its profile: termination signals wait until
/// the profile is written. The third signal ends the process at once, with the place of the recording.
package final class RecordingKeeper: Sendable {
  /// The profile to be written.
  private let path: String
  /// The directory with the recording.
  private let spool: String
  private let state: Mutex<State>

  private struct State {
    var asked: Int
    var isWritten = false
  }

  /// Number of signals that end the process at once, including the one that ended the program.
  private static let insistence = 3

  package init(_ path: String, _ spool: String, wasAskedToEnd: Bool) {
    self.path = path
    self.spool = spool
    state = Mutex(State(asked: wasAskedToEnd ? 1 : 0))
  }

  /// Handles a signal.
  package func take(_ signal: Int32) {
    state.withLock { state in
      if state.isWritten { return }
      state.asked += 1
      if state.asked >= Self.insistence { abandon(signal) }
      if state.asked == Self.insistence - 1 {
        Terminal.notice("still writing \(path); the next signal stops at once")
      }
    }
  }

  /// The profile has been written: signals are ignored until the end.
  package func finish() { state.withLock { $0.isWritten = true } }

  private func abandon(_ signal: Int32) -> Never {
    let left = Failure(
      .data, "the recording is in \(spool)", advice: Self.takeUp(spool))
    ResultFile.removeUnfinished()
    Terminal.report("error: stopped while writing \(path); \(left)")
    EndingSignals.end(by: signal)
  }

  /// The command that makes a profile of the recordings in a directory.
  package static func takeUp(_ directory: String) -> String {
    "next: firstlight record -o FILE.flp --directory \(directory)"
  }
}
