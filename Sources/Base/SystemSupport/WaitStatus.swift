import FirstlightModel
import Glibc

/// The status of a waited process, decoded (wait(2): Swift imports none of the macros).
package struct WaitStatus: Equatable {
  package let raw: Int32

  package init(_ raw: Int32) { self.raw = raw }

  /// Whether the process is stopped, not ended.
  package var isStop: Bool { raw & 0xff == 0x7f }

  /// The signal that stopped it.
  package var stopSignal: Int32 { raw >> 8 & 0xff }

  /// The exit status; nil if a signal killed the process.
  package var exitStatus: Int32? { raw & 0x7f == 0 ? raw >> 8 & 0xff : nil }

  /// The signal that killed it; nil if it exited.
  package var signal: Int32? { raw & 0x7f == 0 ? nil : raw & 0x7f }

  /// Whether Ctrl-C ended the process, or a command that it waited for: shells report that as 130.
  package var isInterrupted: Bool { signal == SIGINT || exitStatus == 128 + SIGINT }

  /// "ended with exit status 3", "was killed by signal 9 (Killed)".
  package var text: String {
    if let signal { return "was \(RunEnding.signalled(signal).outcome)" }
    return "ended with exit status \(exitStatus ?? 0)"
  }
}
