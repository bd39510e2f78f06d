/// Something a program said of itself while it was recorded: a mark, or a span with an end.
public struct ProgramMark: Hashable, Sendable, Codable {
  /// What the program calls it.
  public var name: String
  /// Kernel id of the thread that set the mark or began the span.
  public var thread: UInt32
  /// Nanoseconds since the process's `startedAt` (of a trace: since its `clockBase`).
  public var time: UInt64
  public var kind: Kind

  public enum Kind: Hashable, Sendable, Codable {
    case mark
    /// - Parameter duration: nanoseconds; nil if the span's end was not seen.
    case span(duration: UInt64?)
  }

  public init(name: String, thread: UInt32, time: UInt64, kind: Kind) {
    self.name = name
    self.thread = thread
    self.time = time
    self.kind = kind
  }
}
