import FirstlightModel

/// The images of a program in the loader's look-up order, and their dependencies.
package struct LibraryGraph: Sendable {
  /// One image with its dependencies.
  package struct Node: Sendable {
    /// The needed name; for the binary itself, its path.
    package var name: String
    /// Its real path.
    package var path: String
    package var facts: BinaryFacts
    /// Needed images: indices into `nodes`.
    package var needs: [Int] = []
    /// Names of needed images that were not found.
    package var missing: [String] = []
    /// Whether the program loaded it while running (dlopen), or such a library needed it.
    package var isLoadedLater: Bool

    package init(name: String, path: String, facts: BinaryFacts, isLoadedLater: Bool) {
      self.name = name
      self.path = path
      self.facts = facts
      self.isLoadedLater = isLoadedLater
    }
  }

  /// The binary first, then breadth first, as in the loader; then images that were loaded later.
  package var nodes: [Node]

  package init(nodes: [Node]) {
    self.nodes = nodes
  }

  /// For each image the images that need it, in load order.
  package var neededBy: [[Int]] {
    var result = [[Int]](repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for need in node.needs where result[need].last != index { result[need].append(index) }
    }
    return result
  }

  /// The library itself, and those that are reachable only through it.
  package func goneWithout(_ index: Int) -> [Int] {
    var reached: Set<Int> = [0]
    // Libraries that the program loads itself stay.
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
