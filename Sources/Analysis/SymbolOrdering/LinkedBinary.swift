import FirstlightModel

/// What an order is checked against: the functions of a linked binary and where they lie.
package struct LinkedBinary: Sendable {
  /// In any order.
  package var symbols: [TargetSymbol]
  /// For each symbol the name of its output section.
  package var outputSections: [String]
  /// From the linker's map, sorted by address; empty without one.
  package var inputSections: [InputSection]

  package init(
    symbols: [TargetSymbol], outputSections: [String], inputSections: [InputSection] = []
  ) {
    self.symbols = symbols
    self.outputSections = outputSections
    self.inputSections = inputSections
  }

  func inputSection(at address: UInt64) -> InputSection? {
    let next = inputSections.partitioningIndex { $0.addresses.lowerBound > address }
    guard next > 0, inputSections[next - 1].addresses.contains(address) else { return nil }
    return inputSections[next - 1]
  }
}

/// How much of an image the traces of a problem bring into memory when its functions lie in a given
/// order, one behind the other from the start of a page.
package struct PageTouch: Hashable, Sendable {
  /// The area under the curve of touched pages: at each call of a trace the pages that the trace has
  /// touched so far, summed over all calls of all traces.
  package var area: UInt64 = 0
  /// Distinct pages, summed over traces.
  package var pages: UInt64 = 0
  /// Distinct 64 KiB windows, summed over traces: what the kernel maps around one fault.
  package var windows: UInt64 = 0
  /// Bytes of the order up to its last function.
  package var orderedBytes: UInt64 = 0

  static let window: UInt64 = 65_536

  /// - Parameters:
  ///   - order: functions of the problem, none twice.
  ///   - rest: where functions lie that the order does not name, behind it; by index if nil.
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

  /// - Parameter starts: for each function where it lies, bytes.
  package init(starts: [UInt64], orderedBytes: UInt64, problem: OrderingProblem) {
    self.orderedBytes = orderedBytes
    let pageSize = UInt64(problem.pageSize)
    let end = zip(starts, problem.sizes).reduce(0) { max($0, $1.0 + UInt64($1.1)) }
    // The trace that last touched a page or window: no set to clear between traces.
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
