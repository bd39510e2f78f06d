/// What was called of one image, without the order.
public struct CalledGuards: Hashable, Sendable {
  /// Guard g is bit g % 64 of word g / 64; guards beyond the last word were not called.
  public var words: [UInt64]
  /// CLOCK_MONOTONIC of the earliest and the latest first call, nanoseconds; nil if there is none.
  public var times: ClosedRange<UInt64>?
}
