/// How much of one process's files is read, for a reader that has no say in who leaves them.
public struct ReadLimits: Sendable {
  public var segments: Int
  /// Of all segments.
  public var firstCalls: Int
  /// Whether marks are wanted.
  public var readsMarks: Bool

  public init(segments: Int, firstCalls: Int, readsMarks: Bool) {
    self.segments = segments
    self.firstCalls = firstCalls
    self.readsMarks = readsMarks
  }

  /// All there is.
  public static let none = ReadLimits(segments: .max, firstCalls: .max, readsMarks: true)
}
