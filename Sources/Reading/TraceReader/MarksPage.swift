import FirstlightModel

/// The contents of one marks file: the marks that a process set.
package struct MarksPage: Sendable {
  /// The process that wrote it.
  package var process: ProcessID
  /// By time, which here is CLOCK_MONOTONIC, nanoseconds; at most 2^63 - 1, as are ends of spans.
  package var marks: [ProgramMark]
  /// Marks that found no room.
  package var drops: Int
  /// What was wrong with a file that could still be read in part, or is missing from it; nil if
  /// nothing is.
  package var problem: Failure?
}
