import FirstlightModel
import Recording

/// Binds each reference to an image's symbol, by the rules of the GNU C library's loader: the first
/// image in the scope that defines the name with the requested version (`elf/dl-lookup.c` of glibc
/// 2.36; System V ABI, "Shared Object Dependencies").
package struct SymbolBindings: Sendable {
  /// One image's references that are bound to another image.
  package struct Use: Sendable {
    package var from: Int
    package var to: Int
    /// In the order of the symbol table.
    package var symbols: [SymbolReference]
  }

  /// Sorted by the referring image, then by the defining one.
  package private(set) var uses: [Use] = []
  /// For each image the needed symbols that no image defines.
  package private(set) var unresolved: [[SymbolReference]]
  /// For each image the number of symbols that the loader looks up, including those that it finds
  /// in the image itself.
  package private(set) var lookups: [Int]

  private static let kinds: [SymbolReference.Uses] = [.call, .address, .copy]

  private struct Candidate {
    var image: Int
    var definition: SymbolDefinition
  }

  package init(_ graph: LibraryGraph) {
    unresolved = Array(repeating: [], count: graph.nodes.count)
    lookups = Array(repeating: 0, count: graph.nodes.count)
    let candidates = Self.candidates(graph)
    let startup = graph.nodes.indices.filter { !graph.nodes[$0].isLoadedLater }
    for (index, node) in graph.nodes.enumerated() {
      let scope = Self.scope(of: index, graph, startup: startup)
      var bound: [Int: [SymbolReference]] = [:]
      for reference in node.facts.dynamic.references where !reference.uses.isEmpty {
        lookups[index] += 1
        var places: Set<Int> = []
        for use in Self.kinds where reference.uses.contains(use) {
          let place = Self.provider(
            of: reference, used: use, for: index, candidates[reference.name] ?? [], scope: scope)
          if let place { places.insert(place) }
        }
        for place in places where place != index { bound[place, default: []].append(reference) }
        if places.isEmpty, reference.isUndefined, !reference.isWeak {
          unresolved[index].append(reference)
        }
      }
      uses += bound.keys.sorted().map { Use(from: index, to: $0, symbols: bound[$0]!) }
    }
  }

  /// Definitions of all referenced names.
  private static func candidates(_ graph: LibraryGraph) -> [TextBytes: [Candidate]] {
    var candidates: [TextBytes: [Candidate]] = [:]
    for node in graph.nodes {
      for reference in node.facts.dynamic.references { candidates[reference.name] = [] }
    }
    for (index, node) in graph.nodes.enumerated() {
      for definition in node.facts.dynamic.definitions {
        candidates[definition.name]?.append(Candidate(image: index, definition: definition))
      }
    }
    return candidates
  }

  /// For each image of the scope its position there.
  private static func scope(of index: Int, _ graph: LibraryGraph, startup: [Int]) -> [Int: Int] {
    var order = startup
    if graph.nodes[index].isLoadedLater {
      // A library opened later searches its own needs after those of the program. Several such
      // libraries that open each other are treated as one.
      order += graph.nodes.indices.filter { graph.nodes[$0].isLoadedLater }
    }
    if graph.nodes[index].facts.dynamic.isSymbolic { order.insert(index, at: 0) }
    return Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
  }

  private static func provider(
    of reference: SymbolReference, used use: SymbolReference.Uses, for index: Int,
    _ candidates: [Candidate], scope: [Int: Int]
  ) -> Int? {
    var best: (place: Int, image: Int)?
    for candidate in candidates {
      let definition = candidate.definition
      guard let place = scope[candidate.image], place < best?.place ?? .max,
        !(use == .copy && candidate.image == index),
        !(definition.isStub && (use != .address || candidate.image == index)),
        matches(definition, reference)
      else { continue }
      best = (place, candidate.image)
    }
    return best?.image
  }

  private static func matches(
    _ definition: SymbolDefinition, _ reference: SymbolReference
  ) -> Bool {
    // A reference without version gets the default one; an image without versions matches any.
    if reference.version.isEmpty || definition.version.isEmpty { return !definition.isHidden }
    return definition.version == reference.version
  }
}
