import FirstlightModel

/// The contents of one segment file: one process's first calls in one image.
package struct Segment: Sendable {
  /// The process that wrote it.
  package var process: ProcessID
  /// CLOCK_MONOTONIC and CLOCK_REALTIME when the segment was created, nanoseconds.
  package var clockBase: (monotonic: UInt64, realtime: UInt64)
  package var image: Image
  /// Link-time address of the image's first mapped byte.
  package var imageStart: UInt64
  /// Bytes from `imageStart` to the end of the image's last mapped byte; at least 1.
  package var imageSize: UInt64
  /// Whether the image's path was too long for the header.
  package var isPathTruncated: Bool
  /// In the order of slots, which is nearly that of `sequence`. `image` is always 0. No guard
  /// occurs twice; every time is between `clockBase.monotonic` and 2^63 - 1.
  package var firstCalls: [FirstCall]
  /// The guards of `firstCalls`, even if the calls themselves were not kept.
  package var called: CalledGuards
  /// Reserved slots that were empty when read.
  package var uncommitted: Int
  /// Reserved slots whose record is damaged, or lies beyond the end of a truncated file.
  package var damaged: Int
  /// The problem with a file that could be read only in part; nil if there is none.
  package var problem: Failure?
}

/// The called guards of one image, without order.
package struct CalledGuards: Hashable, Sendable {
  /// Guard g is bit g % 64 of word g / 64; guards beyond the last word were not called.
  package var words: [UInt64] = []
  /// For a file that is smaller than its header claims, used in place of `words`: the guards, unordered.
  package var listed: [UInt32] = []
  /// CLOCK_MONOTONIC of the earliest and the latest first call, nanoseconds; nil if there is none.
  package var times: ClosedRange<UInt64>?

  /// Number of called guards.
  var count: Int { listed.count + words.reduce(0) { $0 + $1.nonzeroBitCount } }
}

/// The data that an ended process left.
package struct EndedProcess: Sendable {
  /// Nil if no file could be read. Without first calls if they were not requested.
  package var trace: Trace?
  /// The called guards of each of the trace's images.
  package var called: [CalledGuards]
  /// Problems of the files. Repeated sequences are detected only if first calls were requested.
  package var problems: [Failure]
}
