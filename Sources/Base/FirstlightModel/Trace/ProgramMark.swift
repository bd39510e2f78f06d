/// An event that a program recorded about itself: a mark, or a span with an end.
package struct ProgramMark: Hashable, Sendable, Codable {
  /// What the program calls it.
  package var name: String
  /// Kernel id of the thread that set the mark or began the span.
  package var thread: UInt32
  /// Nanoseconds since the process's `startedAt` (of a trace: since its `clockBase`).
  package var time: UInt64
  package var kind: Kind

  package enum Kind: Hashable, Sendable, Codable {
    case mark
    /// - Parameter duration: nanoseconds; nil if the span's end was not seen.
    case span(duration: UInt64?)
  }

  package init(name: String, thread: UInt32, time: UInt64, kind: Kind) {
    self.name = name
    self.thread = thread
    self.time = time
    self.kind = kind
  }
}
