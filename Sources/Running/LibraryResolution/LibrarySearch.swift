import BinaryInspection
import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// Finds a program's shared libraries where the loader would, and theirs in turn, running nothing.
package struct LibrarySearch {
  private var nodes: [LibraryGraph.Node] = []
  /// For each node the one it was first loaded for; of the binary, itself.
  private var loaders: [Int] = []
  /// Names under which an image is known: as it was needed, and its own.
  private var names: [String: Int] = [:]
  private var files: [FileIdentity: Int] = [:]
  private let folders: LoaderFolders
  private let interpreter: String?

  private struct FileIdentity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  /// - Parameter later: paths of libraries that the program loads itself.
  package static func graph(_ facts: BinaryFacts, later: [String] = []) -> LibraryGraph {
    var search = LibrarySearch(facts)
    if let identity = Self.identity(facts.path) { search.files[identity] = 0 }
    search.add(facts, name: facts.path, loader: 0, isLoadedLater: false)
    search.follow(from: 0, isLoadedLater: false)
    for path in later {
      let next = search.nodes.count
      guard search.open(path, name: path, loader: 0, isLoadedLater: true) == next else { continue }
      search.follow(from: next, isLoadedLater: true)
    }
    return LibraryGraph(nodes: search.nodes)
  }

  /// What of each library that the binary itself needs it uses.
  package static func uses(_ facts: BinaryFacts) -> [LibraryUse] {
    let graph = graph(facts)
    let bindings = SymbolBindings(graph)
    let root = graph.nodes[0]
    // The first name of a node need not be the one that the binary has for it.
    let found = zip(facts.dynamic.needed.filter { !root.missing.contains($0) }, root.needs)
    let places = Dictionary(found.map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    return facts.dynamic.needed.map { name in
      guard let place = places[name] else { return LibraryUse(name: name, path: nil, symbols: 0) }
      let symbols = bindings.uses.first { $0.from == 0 && $0.to == place }?.symbols.count ?? 0
      return LibraryUse(name: name, path: graph.nodes[place].path, symbols: symbols)
    }
  }

  private init(_ facts: BinaryFacts) {
    folders = LoaderFolders(architecture: facts.architecture)
    interpreter = facts.interpreter
  }

  private mutating func follow(from first: Int, isLoadedLater: Bool) {
    var next = first
    while next < nodes.count {
      for name in nodes[next].facts.dynamic.needed {
        if let found = find(name, for: next, isLoadedLater: isLoadedLater) {
          nodes[next].needs.append(found)
        } else {
          nodes[next].missing.append(name)
        }
      }
      next += 1
    }
  }

  private mutating func find(_ name: String, for image: Int, isLoadedLater: Bool) -> Int? {
    if let known = names[name] { return known }
    // The loader is there before all others, under the name of the binary's PT_INTERP.
    if let interpreter, interpreter.hasSuffix("/" + name) {
      return open(interpreter, name: name, loader: image, isLoadedLater: isLoadedLater)
    }
    var chain: [BinaryFacts] = []
    var at = image
    while at != 0 {
      at = loaders[at]
      chain.append(nodes[at].facts)
    }
    for place in folders.places(of: name, for: nodes[image].facts, loaders: chain) {
      if let found = open(place, name: name, loader: image, isLoadedLater: isLoadedLater) {
        return found
      }
    }
    return nil
  }

  /// The image of a file, which may be known under another name; nil if none of this machine's kind
  /// is there.
  private mutating func open(
    _ path: String, name: String, loader: Int, isLoadedLater: Bool
  ) -> Int? {
    guard let identity = Self.identity(path) else { return nil }
    if let known = files[identity] {
      names[name] = known
      return known
    }
    guard let image = try? DebugImage(path: path, debugDirectories: []),
      image.architecture == folders.architecture, let facts = try? image.facts()
    else { return nil }
    files[identity] = nodes.count
    add(facts, name: name, loader: loader, isLoadedLater: isLoadedLater)
    return nodes.count - 1
  }

  /// Nil if there is no regular file.
  private static func identity(_ path: String) -> FileIdentity? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  private mutating func add(
    _ facts: BinaryFacts, name: String, loader: Int, isLoadedLater: Bool
  ) {
    let index = nodes.count
    names[name] = index
    if let soname = facts.dynamic.soname, names[soname] == nil { names[soname] = index }
    nodes.append(
      .init(
        name: name, path: AbsolutePath.resolved(facts.path) ?? facts.path, facts: facts,
        isLoadedLater: isLoadedLater))
    loaders.append(loader)
  }
}
