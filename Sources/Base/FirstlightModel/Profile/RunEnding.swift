import Glibc

/// How a recorded run ended.
package enum RunEnding: Hashable, Sendable {
  /// By itself, with this status.
  case exited(Int32)
  /// By a signal that was not ours.
  case signalled(Int32)
  /// In any other way, in words: stopped by us when the recording was over, imported, unknown.
  case other(String)

  /// SIGHUP, SIGINT, SIGQUIT and SIGTERM ask to end, as after Ctrl-C or when the terminal is closed.
  private static let requests: Set<Int32> = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// What a bad run did not reach looks never called.
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

  /// As a list says it of bad endings: `interrupted by signal 2 (Interrupt)`.
  package var text: String {
    switch self {
    case .exited: "ended with \(outcome)"
    case .signalled(let signal) where isInterrupted: "interrupted by signal \(Self.name(signal))"
    case .signalled, .other: outcome
    }
  }

  /// A signal as people know it: `9 (Killed)`.
  package static func name(_ signal: Int32) -> String {
    "\(signal) (\(String(cString: strsignal(signal))))"
  }
}
