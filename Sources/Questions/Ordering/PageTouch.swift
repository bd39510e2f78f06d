import FirstlightModel

/// The memory of an image that a problem's traces touch if its functions lie in a given order,
/// consecutively from the start of a page.
package struct PageTouch: Hashable, Sendable {
  /// The area under the page-touch curve: the pages that a trace has touched at each call, summed
  /// over all calls of all traces.
  package var area: UInt64 = 0
  /// Number of distinct pages, summed over traces.
  package var pages: UInt64 = 0
  /// Number of distinct 64 KiB windows, summed over traces: the kernel maps a window around each fault.
  package var windows: UInt64 = 0
  /// Size of the order, up to the end of its last function.
  package var orderedBytes: UInt64 = 0

  static let window: UInt64 = 65_536

  /// - Parameters:
  ///   - order: functions of the problem, without duplicates.
  ///   - rest: the sequence of the functions that the order lacks; by index if nil.
  /// - Complexity: O(calls + functions + pages x traces / 64).
  package init(of order: [Int32], for problem: OrderingProblem, rest: [Int32]? = nil) {
    var starts = [UInt64](repeating: .max, count: problem.sizes.count)
    var end: UInt64 = 0
    func place(_ function: Int32) {
      guard starts[Int(function)] == .max else { return }
      starts[Int(function)] = end
      end += UInt64(problem.sizes[Int(function)])
    }
    for function in order { place(function) }
    let orderedBytes = end
    for function in rest ?? [] { place(function) }
    for function in problem.sizes.indices { place(Int32(function)) }
    self.init(starts: starts, orderedBytes: orderedBytes, problem: problem)
  }

  /// - Parameter starts: the start of each function, bytes.
  package init(starts: [UInt64], orderedBytes: UInt64, problem: OrderingProblem) {
    self.orderedBytes = orderedBytes
    let pageSize = UInt64(problem.pageSize)
    let end = zip(starts, problem.sizes).reduce(0) { max($0, $1.0 + UInt64($1.1)) }
    // The last trace on each page or window, which saves clearing a set between traces.
    var pageTrace = [Int32](repeating: -1, count: Int(end / pageSize) + 1)
    var windowTrace = [Int32](repeating: -1, count: Int(end / Self.window) + 1)
    for (index, trace) in problem.traces.enumerated() {
      var touched: UInt64 = 0
      for function in trace {
        let start = starts[Int(function)]
        let last = start + UInt64(max(problem.sizes[Int(function)], 1)) - 1
        for page in Int(start / pageSize)...Int(last / pageSize) where pageTrace[page] != index {
          pageTrace[page] = Int32(index)
          touched += 1
        }
        for window in Int(start / Self.window)...Int(last / Self.window)
        where windowTrace[window] != index {
          windowTrace[window] = Int32(index)
          windows += 1
        }
        area += touched
      }
      pages += touched
    }
  }
}
