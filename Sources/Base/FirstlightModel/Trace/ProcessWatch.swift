/// How a recorder watched a process from outside.
package struct ProcessWatch: Hashable, Sendable {
  package var engine: Attachment
  /// The watcher; without namespace and key.
  package var recorder: ProcessID
  /// Whether the process had begun before: its calls until then are unknown.
  package var isLate: Bool
  /// CLOCK_MONOTONIC, nanoseconds: all first calls before are recorded; nil if unknown.
  package var until: UInt64?
  /// CLOCK_MONOTONIC of its end, nanoseconds; nil while it goes on, or if the watcher was killed.
  package var ended: UInt64?

  package init(
    engine: Attachment, recorder: ProcessID, isLate: Bool, until: UInt64?,
    ended: UInt64?
  ) {
    self.engine = engine
    self.recorder = recorder
    self.isLate = isLate
    self.until = until
    self.ended = ended
  }

  /// Whether these are no calls of a process, but the mark of a watch that has not ended in order: processes that started
  /// last may be missing.
  package func isMark(of process: ProcessID) -> Bool {
    Self.isMark(watcher: recorder, of: process)
  }

  package static func isMark(watcher: ProcessID, of process: ProcessID) -> Bool {
    watcher.pid == process.pid && watcher.start == process.start
  }
}
