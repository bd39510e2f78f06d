import FirstlightModel

/// The images of a program in the order in which the loader looks symbols up, and who needs whom.
package struct LibraryGraph: Sendable {
  /// One image, and how it came to be there.
  package struct Node: Sendable {
    /// As it is needed; of the binary itself, its path.
    package var name: String
    /// Its real path.
    package var path: String
    package var facts: BinaryFacts
    /// What it needs: indices into `nodes`.
    package var needs: [Int] = []
    /// What it needs and nothing was found of, by name.
    package var missing: [String] = []
    /// Loaded by the program itself while it ran (dlopen), or for such a library.
    package var isLoadedLater: Bool

    package init(name: String, path: String, facts: BinaryFacts, isLoadedLater: Bool) {
      self.name = name
      self.path = path
      self.facts = facts
      self.isLoadedLater = isLoadedLater
    }
  }

  /// The binary first, then breadth first, as the loader does; then what was loaded later.
  package var nodes: [Node]

  package init(nodes: [Node]) {
    self.nodes = nodes
  }

  /// For each image which others need it, in load order.
  package var neededBy: [[Int]] {
    var result = [[Int]](repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for need in node.needs where result[need].last != index { result[need].append(index) }
    }
    return result
  }

  /// Libraries that would no longer be there without this one: it, and what only it leads to.
  package func goneWithout(_ index: Int) -> [Int] {
    var reached: Set<Int> = [0]
    // What the program loads itself stays.
    reached.formUnion(nodes.indices.filter { nodes[$0].isLoadedLater })
    reached.remove(index)
    var open = Array(reached)
    while let image = open.popLast() {
      for need in nodes[image].needs where need != index && reached.insert(need).inserted {
        open.append(need)
      }
    }
    return nodes.indices.filter { !reached.contains($0) }
  }
}
