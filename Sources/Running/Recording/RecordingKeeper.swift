import FirstlightModel
import Glibc
import ProcessControl
import Synchronization
import SystemSupport

/// Keeps a recording from being lost between the program's end and that of its profile: signals that ask us
/// to end wait until the profile is written. A third one ends at once, and says where the recording is.
package final class RecordingKeeper: Sendable {
  /// Describes what is left of an abandoned recording, or why nothing is.
  package typealias Rescue = @Sendable () -> Failure

  /// The profile to be written.
  private let path: String
  private let rescue: Rescue
  private let state: Mutex<State>

  private struct State {
    var asked: Int
    var isWritten = false
  }

  /// As many signals are needed to end at once, the one that ended the program included.
  private static let insistence = 3

  package init(_ path: String, wasAskedToEnd: Bool, rescue: @escaping Rescue) {
    self.path = path
    self.rescue = rescue
    state = Mutex(State(asked: wasAskedToEnd ? 1 : 0))
  }

  /// Takes a signal.
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

  /// The profile has been written: the end is near, signals change nothing.
  package func finish() { state.withLock { $0.isWritten = true } }

  private func abandon(_ signal: Int32) -> Never {
    let left = rescue()
    ResultFile.removeUnfinished()
    Terminal.report("error: stopped while writing \(path); \(left)")
    EndingSignals.end(by: signal)
  }
}
