import Glibc

/// The result of waiting for a process, taken apart (wait(2): Swift imports none of the macros).
package struct WaitStatus: Equatable {
  package let raw: Int32

  package init(_ raw: Int32) { self.raw = raw }

  /// Whether it stands still, and has not ended.
  package var isStop: Bool { raw & 0xff == 0x7f }

  /// The signal that it stands still for.
  package var stopSignal: Int32 { raw >> 8 & 0xff }

  /// Of a process that ended by itself; nil: a signal killed it.
  package var exitStatus: Int32? { raw & 0x7f == 0 ? raw >> 8 & 0xff : nil }

  /// What killed it; nil: it ended by itself.
  package var signal: Int32? { raw & 0x7f == 0 ? nil : raw & 0x7f }

  /// Whether Ctrl-C ended it, or a command that it waited for: shells say that as 130.
  package var isInterrupted: Bool { signal == SIGINT || exitStatus == 128 + SIGINT }

  /// "ended with exit status 3", "was killed by signal 9 (Killed)".
  package var text: String {
    if let signal { return "was killed by signal \(Self.name(signal))" }
    return "ended with exit status \(exitStatus ?? 0)"
  }

  /// "9 (Killed)".
  package static func name(_ signal: Int32) -> String {
    "\(signal) (\(String(cString: strsignal(signal))))"
  }
}
