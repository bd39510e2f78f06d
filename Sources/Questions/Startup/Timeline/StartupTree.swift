import FirstlightModel

/// All threads' spans merged by their stacks: the flame graph.
///
/// The main thread is divided at the start-up's stages, so that times add up: a node's total is its
/// own weight plus its children's.
package struct StartupTree: Sendable {
  /// The unit of weights.
  package enum Unit: Sendable {
    case nanoseconds
    /// For a recording without durations: each first call weighs 1, under its module.
    case calls
  }

  package enum Frame: Hashable, Sendable {
    /// Index into the timeline's processes.
    case process(Int)
    case stage(LaunchStage.Kind)
    /// Index into the timeline's threads.
    case thread(Int)
    case module(String)
    /// Index into the timeline's functions.
    case function(Int, ending: TimelineSpan.Ending)
  }

  package struct Node: Sendable {
    package var frame: Frame
    /// -1 for a root.
    package var parent: Int
    /// Weight without the children.
    package var weight: UInt64
    package var total: UInt64
    /// Number of merged spans.
    package var calls: Int
  }

  package var unit: Unit
  /// Nodes, each after its parent.
  package private(set) var nodes: [Node] = []
  private var indices: [Key: Int] = [:]

  private struct Key: Hashable {
    var parent: Int
    var frame: Frame
  }

  init(unit: Unit) { self.unit = unit }

  /// The node of a frame below another node, created if it is new.
  mutating func node(_ frame: Frame, under parent: Int) -> Int {
    let key = Key(parent: parent, frame: frame)
    if let known = indices[key] { return known }
    nodes.append(Node(frame: frame, parent: parent, weight: 0, total: 0, calls: 0))
    indices[key] = nodes.count - 1
    return nodes.count - 1
  }

  mutating func add(weight: UInt64, calls: Int = 0, to node: Int) {
    nodes[node].weight += weight
    nodes[node].calls += calls
  }

  mutating func sum() {
    for index in nodes.indices { nodes[index].total = nodes[index].weight }
    for index in nodes.indices.reversed() where nodes[index].parent >= 0 {
      nodes[nodes[index].parent].total += nodes[index].total
    }
  }

  /// The children of each node, heaviest first; the last list has the roots.
  package func children() -> [[Int]] {
    var lists = [[Int]](repeating: [], count: nodes.count + 1)
    for (index, node) in nodes.enumerated() {
      lists[node.parent < 0 ? nodes.count : node.parent].append(index)
    }
    for index in lists.indices {
      lists[index].sort { (nodes[$1].total, $0) < (nodes[$0].total, $1) }
    }
    return lists
  }
}

extension Timeline {
  /// The start-up tree: of time if the recording has durations, else of first calls.
  package func startupTree() -> StartupTree {
    let hasTimes =
      spans.contains { $0.length > 0 } || processes.contains { !$0.stages.isEmpty }
    return hasTimes ? timeTree() : callTree()
  }

  private func callTree() -> StartupTree {
    var tree = StartupTree(unit: .calls)
    for (index, thread) in threads.enumerated() {
      let process = tree.node(.process(thread.process), under: -1)
      let row = thread.isMain ? process : tree.node(.thread(index), under: process)
      for span in spans(of: index) {
        let module = tree.node(.module(functions[span.function].module), under: row)
        let leaf = tree.node(.function(span.function, ending: span.ending), under: module)
        tree.add(weight: 1, calls: 1, to: leaf)
      }
    }
    tree.sum()
    return tree
  }

  private func timeTree() -> StartupTree {
    var tree = StartupTree(unit: .nanoseconds)
    for index in threads.indices {
      var walk = ThreadWalk(timeline: self, thread: index, tree: tree)
      walk.run()
      tree = walk.tree
    }
    tree.sum()
    return tree
  }
}
