import FirstlightModel

/// The start-up tree of a later run, with the time of each stack in an earlier run.
struct StartupTreeDifference: Sendable {
  var tree: StartupTree
  /// The earlier total of each node, nanoseconds; nil if the earlier run had no such stack.
  var before: [UInt64?]

  /// Stacks are matched by names; threads by their index in their process.
  ///
  /// - Returns: nil unless both runs have times.
  init?(_ difference: TimelineDifference) {
    let old = difference.before.startupTree()
    tree = difference.after.startupTree()
    guard old.unit == .nanoseconds, tree.unit == .nanoseconds else { return nil }
    var known: [Key: Int] = [:]
    var totals: [UInt64] = []
    var places: [Int] = []
    for node in old.nodes {
      let key = Key(
        parent: node.parent < 0 ? -1 : places[node.parent],
        name: difference.before.matchName(node.frame))
      let place = known[key] ?? totals.count
      if place == totals.count {
        known[key] = place
        totals.append(0)
      }
      places.append(place)
      totals[place] += node.total
    }
    var matches: [Int?] = []
    before = []
    for node in tree.nodes {
      let parent = node.parent < 0 ? -1 : matches[node.parent]
      let key = parent.map { Key(parent: $0, name: difference.after.matchName(node.frame)) }
      let match = key.flatMap { known[$0] }
      matches.append(match)
      before.append(match.map { totals[$0] })
    }
  }

  private struct Key: Hashable {
    var parent: Int
    var name: [String]
  }
}

extension Timeline {
  /// The identity of a frame across runs.
  fileprivate func matchName(_ frame: StartupTree.Frame) -> [String] {
    switch frame {
    case .process(let index):
      return ["process", "\(processes[..<index].count { $0.name == processes[index].name })"]
    case .stage(let kind): return ["stage", kind.rawValue]
    case .thread(let index):
      let first = threads.firstIndex { $0.process == threads[index].process } ?? 0
      return ["thread", "\(index - first)"]
    case .module(let name): return ["module", name]
    case .function(let index, _):
      return ["function", functions[index].module, functions[index].name]
    }
  }
}
