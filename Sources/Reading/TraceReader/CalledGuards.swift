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
