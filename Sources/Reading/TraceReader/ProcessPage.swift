import FirstlightABI
import FirstlightModel
import SystemSupport

/// The contents of one process file.
package struct ProcessPage: Sendable {
  package var process: ProcessID
  package var parentPID: UInt32
  /// Effective user id, as the process recorded it.
  package var user: UInt32
  /// CLOCK_MONOTONIC and CLOCK_REALTIME when the file was created, nanoseconds.
  package var clockBase: (monotonic: UInt64, realtime: UInt64)
  /// The recorded process that forked this one, and its count of first calls at that time; nil if
  /// the process was started by exec.
  package var forkedFrom: (process: ProcessID, sequence: UInt32)?
  /// The executable.
  package var path: String
  /// Whether the executable's path was too long for the header.
  package var isPathTruncated: Bool
  package var arguments: [String]
  /// Whether the arguments were too long for the header.
  package var areArgumentsTruncated: Bool
  /// Number of first calls so far, recorded or lost.
  package var firstCallCount: UInt32
  /// Number of segments requested so far.
  package var imageCount: Int
  /// Number of segments that could not be created, including those of forked children without
  /// process file; at most `imageCount`.
  package var lostImages: Int
  /// `errno` of the last failed segment; 0 if none.
  package var lastError: UInt32
  /// CLOCK_MONOTONIC when the program reported readiness, nanoseconds; nil if it has not.
  package var ready: UInt64?
  /// How another process watched it; nil if it recorded itself.
  package var watch: ProcessWatch?
  /// Number of processes that it forked and that could not be watched.
  package var unrecordedProcesses: Int
  /// Number of processes, this one and its forks, that ran on after the watch.
  package var runningProcesses: Int
  /// Messages about the recording that the process did not write to standard error.
  package var notices: [Failure]
  /// The problem with a file that could still be read; nil if there is none.
  package var problem: Failure?
}
