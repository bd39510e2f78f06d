/// How a run ended that did not end well: what it did not reach looks never called.
package enum RunEnding: Hashable, Sendable {
  /// The status is not 0.
  case failed(status: Int)
  /// By a signal that asks to end, as after Ctrl-C or when the terminal is closed.
  case interrupted(signal: Int, name: String)
  /// By any other signal: it crashed, or was killed.
  case killed(signal: Int, name: String)

  /// SIGHUP, SIGINT, SIGQUIT and SIGTERM.
  private static let requests: Set<Int> = [1, 2, 3, 15]

  /// - Parameter outcome: as `Run.outcome`. The result is nil if the run ended well, or its end is unknown.
  package init?(bad outcome: String) {
    if let status = outcome.rest(after: "exit status ").flatMap({ Int($0) }) {
      if status == 0 { return nil }
      self = .failed(status: status)
      return
    }
    guard let rest = outcome.rest(after: "killed by signal "),
      let signal = Int(rest.prefix { $0.isNumber })
    else { return nil }
    let name = String(rest.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" })
    self =
      Self.requests.contains(signal)
      ? .interrupted(signal: signal, name: name) : .killed(signal: signal, name: name)
  }

  package var isInterrupted: Bool {
    if case .interrupted = self { true } else { false }
  }

  /// For people: `interrupted by signal 2 (Interrupt)`.
  package var text: String {
    switch self {
    case .failed(let status): "ended with exit status \(status)"
    case .interrupted(let signal, let name): "interrupted by signal \(signal) (\(name))"
    case .killed(let signal, let name): "killed by signal \(signal) (\(name))"
    }
  }
}

extension String {
  fileprivate func rest(after start: String) -> Substring? {
    hasPrefix(start) ? dropFirst(start.count) : nil
  }
}
