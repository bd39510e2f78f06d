import FirstlightModel

/// What one process file holds: who a recorded process is.
package struct ProcessPage: Sendable {
  package var process: ProcessID
  package var parentPID: UInt32
  /// Effective user id, as the process saw itself.
  package var user: UInt32
  /// CLOCK_MONOTONIC and CLOCK_REALTIME of the moment the file was made, nanoseconds.
  package var clockBase: (monotonic: UInt64, realtime: UInt64)
  /// The recording process this one was forked from, and that one's count of first calls then; nil
  /// if it was started by exec.
  package var forkedFrom: (process: ProcessID, sequence: UInt32)?
  /// The executable.
  package var path: String
  /// Whether the executable's path was longer than the header has room for.
  package var isPathTruncated: Bool
  package var arguments: [String]
  /// Whether there were more or longer arguments than the header has room for.
  package var areArgumentsTruncated: Bool
  /// First calls so far, recorded or not.
  package var firstCallCount: UInt32
  /// Segments asked for so far.
  package var imageCount: Int
  /// How many of them could not be made, forked children's that have no file of their own included;
  /// never more than `imageCount`.
  package var lostImages: Int
  /// `errno` of the last that could not; 0 if none.
  package var lastError: UInt32
  /// CLOCK_MONOTONIC when the program reported readiness, nanoseconds; nil: not yet.
  package var ready: UInt64?
  /// Notices about its recording that the process did not write to standard error.
  package var notices: [Failure]
  /// What was wrong with a file that could still be read; nil for a sound one.
  package var problem: Failure?
}
