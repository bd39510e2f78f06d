import Synchronization

/// Data missing from an answer because a part of the store is unavailable: noted by the store, read by the
/// task that asked.
package final class AnswerGaps: Sendable {
  /// Where the store notes it for the task that asks.
  @TaskLocal package static var current: AnswerGaps?

  /// The header in which a daemon's answers carry the lines, with `; ` between them.
  package static let header = "Firstlight-Incomplete"

  private let noted = Mutex<[String]>([])

  package init() {}

  /// Each once, for people: a line.
  package var lines: [String] { noted.withLock { $0 } }

  package func note(_ line: String) {
    noted.withLock { lines in
      if !lines.contains(line) { lines.append(line) }
    }
  }
}
