import FirstlightModel

/// What one marks file holds: what a process said of itself.
public struct MarksPage: Sendable {
  /// The process that wrote it.
  public var process: ProcessID
  /// By time, which here is CLOCK_MONOTONIC, nanoseconds; at most 2^63 - 1, as are ends of spans.
  public var marks: [ProgramMark]
  /// Marks that found no room.
  public var drops: Int
  /// What was wrong with a file that could still be read in part, or is missing from it; nil if
  /// nothing is.
  public var problem: Failure?
}
