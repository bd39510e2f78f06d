/// A way to make one order of many traces.
package enum OrderingStrategy: String, CaseIterable, Sendable {
  /// By the median of a function's ranks in the traces that call it. For one trace, this is the trace.
  case firstCall = "first-call"
  /// Balanced Partitioning: functions that the same runs call at about the same time lie together.
  case balanced

  func order(_ problem: OrderingProblem, firstRanks: [Int32]) -> [Int32] {
    switch self {
    case .firstCall: problem.firstCallOrder(firstRanks: firstRanks)
    case .balanced: BalancedPartitioning.order(problem)
    }
  }
}
