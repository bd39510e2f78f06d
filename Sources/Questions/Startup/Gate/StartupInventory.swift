import FirstlightModel
import Recording

/// The contents of a start-up: counts that depend neither on the machine nor on the run.
package struct StartupInventory: Hashable, Sendable, Codable {
  /// File names of shared libraries, each once, sorted.
  package var libraries: [String]
  /// By file name of the image: its initializers in order; "" for those without a symbol.
  package var initializers: [TextBytes: [String]]
  /// By file name of the image: the number of its relocations.
  package var relocations: [TextBytes: Int]

  /// The name for the binary's own entries, so that a renamed copy counts as the same image.
  package static let program = "program"

  package init(
    libraries: [String], initializers: [TextBytes: [String]], relocations: [TextBytes: Int]
  ) {
    self.libraries = libraries
    self.initializers = initializers
    self.relocations = relocations
  }

  package init(_ graph: LibraryGraph) {
    libraries = Set(texts: graph.nodes.dropFirst().map { BaseName.of($0.name) })
      .sorted().map(\.text)
    initializers = [:]
    relocations = [:]
    for (index, node) in graph.nodes.enumerated() {
      let name = index == 0 ? Self.program : BaseName.of(node.name)
      initializers[name, default: []] += node.facts.initializers.map(\.name)
        .filter { $0 != FunctionIdentity.prefetch }
      relocations[name, default: 0] += node.facts.relocations.count
    }
  }

  var relocationCount: Int {
    relocations.values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
  }
  var initializerCount: Int { initializers.values.reduce(0) { $0 + $1.count } }

  /// Libraries that `old` does not have.
  package func newLibraries(since old: StartupInventory) -> [String] {
    let known = Set(texts: old.libraries)
    return libraries.filter { !known.contains($0) }
  }

  /// Initializers that `old` does not have, with their image: "burn in program". A name counts as known in any
  /// image, because a library that is now linked statically adds no work. A name that occurs more often than
  /// before counts as new. Initializers without a name are counted for each image.
  package func newInitializers(since old: StartupInventory) -> [String] {
    struct Key: Hashable {
      let name: String
      /// Nil: any image.
      let image: String?
      init(_ name: String, _ image: String) {
        self.name = name
        self.image = name.isEmpty ? image : nil
      }
    }
    var known: [Key: Int] = [:]
    for (image, names) in old.initializers {
      for name in names { known[Key(name, image.text), default: 0] += 1 }
    }
    return initializers.keys.sorted().flatMap { image in
      initializers[image]!.filter { name in
        known[Key(name, image.text), default: 0] -= 1
        return known[Key(name, image.text)]! < 0
      }.map { "\($0.isEmpty ? "an unnamed one" : $0) in \(image)" }
    }
  }
}
