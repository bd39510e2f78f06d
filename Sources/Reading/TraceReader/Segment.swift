import FirstlightModel

/// What one segment file holds: one process's first calls in one image.
package struct Segment: Sendable {
  /// The process that wrote it.
  package var process: ProcessID
  /// CLOCK_MONOTONIC and CLOCK_REALTIME of the moment the segment was made, nanoseconds.
  package var clockBase: (monotonic: UInt64, realtime: UInt64)
  package var image: Image
  /// Link-time address of the image's first mapped byte.
  package var imageStart: UInt64
  /// Bytes from there to the end of the image's last mapped byte; at least 1.
  package var imageSize: UInt64
  /// Whether the image's path was longer than the header has room for.
  package var isPathTruncated: Bool
  /// In the order of slots, which is nearly that of `sequence`. `image` is 0 in all of them. No
  /// guard occurs twice; every time is between `clockBase.monotonic` and 2^63 - 1.
  package var firstCalls: [FirstCall]
  /// The guards of `firstCalls`; there too where those are not wanted.
  package var called: CalledGuards
  /// Slots handed out that were empty when read.
  package var uncommitted: Int
  /// Slots handed out whose record is damaged, or was cut off with the file's end.
  package var damaged: Int
  /// What was wrong with a file that could still be read in part; nil for a sound one.
  package var problem: Failure?
}
