import FirstlightModel

/// What one process file holds: who a recorded process is.
public struct ProcessPage: Sendable {
  public var process: ProcessID
  public var parentPID: UInt32
  /// Effective user id, as the process saw itself.
  public var user: UInt32
  /// CLOCK_MONOTONIC and CLOCK_REALTIME of the moment the file was made, nanoseconds.
  public var clockBase: (monotonic: UInt64, realtime: UInt64)
  /// The recording process this one was forked from, and that one's count of first calls then; nil
  /// if it was started by exec.
  public var forkedFrom: (process: ProcessID, sequence: UInt32)?
  /// The executable.
  public var path: String
  /// Whether the executable's path was longer than the header has room for.
  public var isPathTruncated: Bool
  public var arguments: [String]
  /// Whether there were more or longer arguments than the header has room for.
  public var areArgumentsTruncated: Bool
  /// First calls so far, recorded or not.
  public var firstCallCount: UInt32
  /// Segments asked for so far.
  public var imageCount: Int
  /// How many of them could not be made, forked children's that have no file of their own included;
  /// never more than `imageCount`.
  public var lostImages: Int
  /// `errno` of the last that could not; 0 if none.
  public var lastError: UInt32
  /// CLOCK_MONOTONIC when the program said it was ready, nanoseconds; nil: not yet.
  public var ready: UInt64?
  /// What the process had to tell of its recording and did not say on standard error.
  public var notices: [Failure]
  /// What was wrong with a file that could still be read; nil for a sound one.
  public var problem: Failure?
}
