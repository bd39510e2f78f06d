/// A contiguous part of the order, with the calls of its functions.
struct Bucket {
  /// Range of its functions in `Bisection.functions`.
  var functions: Range<Int>
  /// Range of its functions' calls, grouped by trace, each trace in order.
  var calls: Range<Int>
  /// The traces with at least two calls here.
  var traces: [BucketTrace]
  /// Byte range in the order.
  var bytes: Range<UInt64>
  /// 1 for all functions; the halves have twice the bucket's number, and twice plus one.
  var number: UInt64

  /// The number of pages that the bucket spans.
  func pages(_ pageSize: UInt64) -> UInt64 {
    guard !bytes.isEmpty else { return 0 }
    return (bytes.upperBound - 1) / pageSize - bytes.lowerBound / pageSize + 1
  }

  /// The page boundary within the bucket nearest to its middle; nil if there is none, so that no
  /// cut can save a page.
  func cut(pageSize: UInt64) -> UInt64? {
    guard functions.count > 1 else { return nil }
    let middle = bytes.lowerBound + (bytes.upperBound - bytes.lowerBound) / 2
    let below = middle / pageSize * pageSize
    let above = below + pageSize
    let candidates = middle - below < above - middle ? [below, above] : [above, below]
    return candidates.first { $0 > bytes.lowerBound && $0 < bytes.upperBound }
  }
}
