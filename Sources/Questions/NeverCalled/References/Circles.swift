/// The strongly connected components of a graph, callees before callers (Tarjan, "Depth-first search
/// and linear graph algorithms", 1972), without recursion: chains of calls can be long.
struct Circles {
  private(set) var members: [[Int]] = []
  /// By node: index into `members`; -1 if excluded.
  private(set) var numbers: [Int]

  private let isIncluded: [Bool]
  private let calls: [[Int]]
  private var order: [Int]
  private var low: [Int]
  private var isOpen: [Bool]
  private var open: [Int] = []
  private var count = 0

  /// - Parameters:
  ///   - isIncluded: which nodes belong to the graph.
  ///   - calls: by node, the targets of its edges.
  init(_ isIncluded: [Bool], _ calls: [[Int]]) {
    self.isIncluded = isIncluded
    self.calls = calls
    numbers = Array(repeating: -1, count: calls.count)
    order = Array(repeating: -1, count: calls.count)
    low = order
    isOpen = Array(repeating: false, count: calls.count)
    for node in calls.indices where isIncluded[node] && order[node] < 0 { visit(node) }
  }

  private mutating func enter(_ node: Int) {
    order[node] = count
    low[node] = count
    count += 1
    open.append(node)
    isOpen[node] = true
  }

  private mutating func visit(_ first: Int) {
    var way: [(node: Int, edge: Int)] = [(first, 0)]
    enter(first)
    while let (node, edge) = way.last {
      if edge < calls[node].count {
        way[way.count - 1].edge += 1
        let called = calls[node][edge]
        guard isIncluded[called] else { continue }
        if order[called] < 0 {
          enter(called)
          way.append((called, 0))
        } else if isOpen[called] {
          low[node] = min(low[node], order[called])
        }
        continue
      }
      way.removeLast()
      if let caller = way.last?.node { low[caller] = min(low[caller], low[node]) }
      if low[node] == order[node] { close(node) }
    }
  }

  private mutating func close(_ root: Int) {
    var circle: [Int] = []
    while let node = open.popLast() {
      isOpen[node] = false
      numbers[node] = members.count
      circle.append(node)
      if node == root { break }
    }
    members.append(circle)
  }
}
