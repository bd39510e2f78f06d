import Dispatch

extension Bisection {
  /// Divides the order into windows of some pages, and bisects each again.
  ///
  /// - Parameter offset: pages in the first window (0: a whole one), so that other pages become neighbours.
  func bisectWindows(pages: Int, offset: Int) {
    let windows = windows(pages: pages, offset: offset)
    // Every other window, so that both threads have equal work wherever the calls are dense.
    DispatchQueue.concurrentPerform(iterations: 2) { first in
      for index in stride(from: first, to: windows.count, by: 2) { bisect(windows[index]) }
    }
  }

  private func windows(pages: Int, offset: Int) -> [Bucket] {
    var windows: [Bucket] = []
    var windowOf = [Int32](repeating: 0, count: functionCount)
    var limit = UInt64(offset == 0 ? pages : offset) * pageSize
    var place = 0
    var start: UInt64 = 0
    while place < root.functions.count {
      let first = place
      var end = start
      repeat {
        let function = Int(functions[place])
        windowOf[function] = Int32(windows.count)
        end += UInt64(sizes[function])
        place += 1
      } while place < root.functions.count
        && end + UInt64(sizes[Int(functions[place])]) / 2 < limit
      while limit <= end { limit += UInt64(pages) * pageSize }
      windows.append(
        Bucket(
          functions: first..<place, calls: 0..<0, traces: [], bytes: start..<end,
          number: UInt64(windows.count + 2)))
      start = end
    }
    groupCalls(by: windowOf, into: &windows)
    return windows
  }

  /// Groups the calls by window, each by trace and in order.
  private func groupCalls(by windowOf: [Int32], into windows: inout [Bucket]) {
    var starts = [Int](repeating: 0, count: windows.count + 1)
    for place in root.calls { starts[Int(windowOf[Int(calls[place].function)]) + 1] += 1 }
    for window in windows.indices { starts[window + 1] += starts[window] }
    var ends = starts
    var place = 0
    for trace in root.traces {
      while place < trace.end {
        let window = Int(windowOf[Int(calls[place].function)])
        spareCalls[ends[window]] = calls[place]
        ends[window] += 1
        place += 1
      }
      for window in windows.indices
      where ends[window] > windows[window].traces.last?.end ?? starts[window] {
        windows[window].traces.append(BucketTrace(end: ends[window], finish: trace.finish))
      }
    }
    calls.update(from: spareCalls, count: root.calls.count)
    for window in windows.indices { windows[window].calls = starts[window]..<ends[window] }
  }
}
