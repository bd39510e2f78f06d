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

  /// The names for the linker, without duplicates. A line of an order cannot hold a name with a line break.
  package var names: [String] { allNames.filter(Self.fitsLine) }

  /// Number of names that no line can hold.
  var unwritableNames: Int { allNames.count { !Self.fitsLine($0) } }

  private var allNames: [String] {
    var listed: Set<TextBytes> = []
    return units.flatMap { code.units[Int($0)].names }.filter { listed.insert($0).inserted }
  }

  private static func fitsLine(_ name: String) -> Bool {
    name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
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
