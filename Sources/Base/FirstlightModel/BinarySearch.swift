extension RandomAccessCollection {
  /// The first index whose element fulfils a condition, or `endIndex`. The elements must be
  /// partitioned: once true, the condition stays true to the end. Takes O(log n) calls.
  ///
  /// In a rising collection, `{ $0 >= x }` gives the lower bound of `x` and `{ $0 > x }` the upper
  /// bound. The name is that of the same function in swift-algorithms.
  @inlinable @inline(__always)
  package func partitioningIndex(where condition: (Element) -> Bool) -> Index {
    var low = startIndex
    var high = endIndex
    while low != high {
      let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
      if condition(self[middle]) { high = middle } else { low = index(after: middle) }
    }
    return low
  }
}
