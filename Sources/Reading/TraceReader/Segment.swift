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

/// What was called of one image, without the order.
package struct CalledGuards: Hashable, Sendable {
  /// Guard g is bit g % 64 of word g / 64; those beyond the last word are not in it.
  package var words: [UInt64] = []
  /// Instead, for a file that is smaller than it says: the guards, in no order.
  package var listed: [UInt32] = []
  /// CLOCK_MONOTONIC of the earliest and the latest first call, nanoseconds; nil if there is none.
  package var times: ClosedRange<UInt64>?

  /// How many guards were called.
  var count: Int { listed.count + words.reduce(0) { $0 + $1.nonzeroBitCount } }
}

/// What a process left that has ended.
package struct EndedProcess: Sendable {
  /// Nil if no file of it could be read. Without first calls if they were not requested.
  package var trace: Trace?
  /// What was called of each of the trace's images.
  package var called: [CalledGuards]
  /// What was wrong with its files. Repeated sequences are found where first calls are asked for.
  package var problems: [Failure]
}
