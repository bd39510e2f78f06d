import FirstlightModel

/// A list of linker symbol names in the order of their intended layout.
package struct SymbolOrder: Sendable {
  package var strategy: OrderingStrategy
  package var code: OrderingInput
  /// Indices into `code.units`, in layout order.
  package var units: [Int32]

  package init(
    of code: OrderingInput, strategy: OrderingStrategy = .firstCall,
    pageSize: UInt32 = UInt32(PageSize.reported)
  ) {
    self.strategy = strategy
    self.code = code
    units = code.order(strategy, pageSize: pageSize)
  }

  /// The names for the linker, without duplicates.
  package var names: [String] {
    var listed: Set<String> = []
    return units.flatMap { code.units[Int($0)].names }.filter { listed.insert($0).inserted }
  }
}

/// A method to make one order from many traces.
package enum OrderingStrategy: String, CaseIterable, Sendable {
  /// By the median of a function's ranks in the traces that call it. A single trace keeps its order.
  case firstCall = "first-call"
  /// Balanced Partitioning: functions that the same runs call at about the same time become neighbours.
  case balanced

  func order(_ problem: OrderingProblem, firstRanks: [Int32]) -> [Int32] {
    switch self {
    case .firstCall: problem.firstCallOrder(firstRanks: firstRanks)
    case .balanced: BalancedPartitioning.order(problem)
    }
  }
}
