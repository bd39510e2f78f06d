import Glibc

/// The end of a recorded run.
package enum RunEnding: Hashable, Sendable {
  /// The program exited with this status.
  case exited(Int32)
  /// A signal that we did not send killed the program.
  case signalled(Int32)
  /// Any other end, in words: stopped by us when the recording was complete, imported, unknown.
  case other(String)

  /// SIGHUP, SIGINT, SIGQUIT and SIGTERM ask to end, as after Ctrl-C or when the terminal is closed.
  private static let requests: Set<Int32> = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// Whether the run ended badly: functions that it did not reach appear as never called.
  package var isBad: Bool {
    switch self {
    case .exited(let status): status != 0
    case .signalled: true
    case .other: false
    }
  }

  package var isInterrupted: Bool {
    if case .signalled(let signal) = self { Self.requests.contains(signal) } else { false }
  }

  /// `exit status 0`, `killed by signal 11 (Segmentation fault)`, `stopped after 10 s`.
  package var outcome: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signalled(let signal): "killed by signal \(Self.name(signal))"
    case .other(let words): words
    }
  }

  /// The form in lists of bad ends: `interrupted by signal 2 (Interrupt)`.
  package var text: String {
    switch self {
    case .exited: "ended with \(outcome)"
    case .signalled(let signal) where isInterrupted: "interrupted by signal \(Self.name(signal))"
    case .signalled, .other: outcome
    }
  }

  /// A signal for display: `9 (Killed)`.
  package static func name(_ signal: Int32) -> String {
    "\(signal) (\(String(cString: strsignal(signal))))"
  }
}
