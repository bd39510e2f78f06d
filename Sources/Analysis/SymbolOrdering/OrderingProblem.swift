import FirstlightModel

/// What an order is sought for: functions by index, and the traces that called them.
package struct OrderingProblem: Sendable {
  /// Bytes that each function takes in the image, up to the start of its neighbour.
  package var sizes: [UInt32]
  /// For each process the functions in the order of their first calls, none twice.
  package var traces: [[Int32]]
  /// Bytes, a power of two.
  package var pageSize: UInt32

  package init(sizes: [UInt32], traces: [[Int32]], pageSize: UInt32 = UInt32(PageSize.reported)) {
    self.sizes = sizes
    self.traces = traces
    self.pageSize = pageSize
  }
}

extension OrderingProblem {
  /// The functions that some trace calls, by the median of their ranks in the traces that do; ties
  /// go to the one that more traces call, then to the lower index.
  ///
  /// - Parameter firstRanks: for each trace the rank of its first call: where a forked process
  ///   joins its parent's trace. Empty: all 0.
  /// - Complexity: O(n log n) in the number of calls.
  package func firstCallOrder(firstRanks: [Int32] = []) -> [Int32] {
    // The ranks of each function side by side, as in a compressed sparse row.
    var starts = [Int32](repeating: 0, count: sizes.count + 1)
    for trace in traces { for function in trace { starts[Int(function) + 1] += 1 } }
    for function in sizes.indices { starts[function + 1] += starts[function] }
    var ranks = [Int32](repeating: 0, count: Int(starts[sizes.count]))
    var next = starts
    for (index, trace) in traces.enumerated() {
      let base = index < firstRanks.count ? firstRanks[index] : 0
      for (rank, function) in trace.enumerated() {
        ranks[Int(next[Int(function)])] = base + Int32(rank)
        next[Int(function)] += 1
      }
    }
    var places: [(median: Int32, traces: Int32, function: Int32)] = []
    for function in sizes.indices where starts[function + 1] > starts[function] {
      let own = ranks[Int(starts[function])..<Int(starts[function + 1])].sorted()
      let middle = own.count / 2
      // Twice the median, so that it stays whole.
      let median = own.count % 2 == 1 ? 2 * own[middle] : own[middle - 1] + own[middle]
      places.append((median, Int32(own.count), Int32(function)))
    }
    places.sort {
      if $0.median != $1.median { return $0.median < $1.median }
      if $0.traces != $1.traces { return $0.traces > $1.traces }
      return $0.function < $1.function
    }
    return places.map(\.function)
  }
}
