/// A stretch of the order being sought, with the calls of its functions.
struct Bucket {
  /// Places of its functions.
  var functions: Range<Int>
  /// Places of its functions' calls, trace by trace, each in order.
  var calls: Range<Int>
  /// The traces with at least two calls here.
  var traces: [BucketTrace]
  /// Where it lies in the order, bytes.
  var bytes: Range<UInt64>
  /// 1 for all functions; a bucket's halves have twice its number, and one more.
  var number: UInt64

  /// On how many pages it lies.
  func pages(_ pageSize: UInt64) -> UInt64 {
    guard !bytes.isEmpty else { return 0 }
    return (bytes.upperBound - 1) / pageSize - bytes.lowerBound / pageSize + 1
  }

  /// The page boundary within the bucket that is nearest to its middle; nil if it holds none, so
  /// that no cut can spare a page.
  func cut(pageSize: UInt64) -> UInt64? {
    guard functions.count > 1 else { return nil }
    let middle = bytes.lowerBound + (bytes.upperBound - bytes.lowerBound) / 2
    let below = middle / pageSize * pageSize
    let above = below + pageSize
    let candidates = middle - below < above - middle ? [below, above] : [above, below]
    return candidates.first { $0 > bytes.lowerBound && $0 < bytes.upperBound }
  }
}

/// One trace's calls within a bucket.
struct BucketTrace {
  /// Place past its last call here.
  var end: Int
  /// When its last node ends, in calls.
  var finish: Float
}

/// A first call: which function, and how many first calls its trace made before.
struct Call {
  var function: Int32
  var time: Float
}
