extension RandomAccessCollection {
  /// The first index whose element fulfils a condition that, once true, stays true to the end; `endIndex`
  /// if none does. Takes O(log n) calls.
  ///
  /// In a rising collection `{ $0 >= x }` gives the lower bound of `x`, `{ $0 > x }` the upper bound. Named
  /// after the same function of swift-algorithms.
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
