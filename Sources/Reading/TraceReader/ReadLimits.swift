/// Limits on reading one process's files, for readers of untrusted files.
package struct ReadLimits: Sendable {
  package var segments: Int
  /// Limit on the first calls of all segments.
  package var firstCalls: Int
  /// Whether to read marks.
  package var readsMarks: Bool

  package init(segments: Int, firstCalls: Int, readsMarks: Bool) {
    self.segments = segments
    self.firstCalls = firstCalls
    self.readsMarks = readsMarks
  }

  /// Reads everything.
  package static let none = ReadLimits(segments: .max, firstCalls: .max, readsMarks: true)
}
