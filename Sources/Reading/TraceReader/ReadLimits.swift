/// How much of one process's files is read, for a reader that has no say in who leaves them.
package struct ReadLimits: Sendable {
  package var segments: Int
  /// Of all segments.
  package var firstCalls: Int
  /// Whether marks are wanted.
  package var readsMarks: Bool

  package init(segments: Int, firstCalls: Int, readsMarks: Bool) {
    self.segments = segments
    self.firstCalls = firstCalls
    self.readsMarks = readsMarks
  }

  /// All there is.
  package static let none = ReadLimits(segments: .max, firstCalls: .max, readsMarks: true)
}
