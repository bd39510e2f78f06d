import FirstlightModel

/// What a process left that has ended.
public struct EndedProcess: Sendable {
  /// Nil if no file of it could be read. Without first calls if nobody asked for them.
  public var trace: Trace?
  /// What was called of each of the trace's images.
  public var called: [CalledGuards]
  /// What was wrong with its files. Repeated sequences are found where first calls are asked for.
  public var problems: [Failure]
}
