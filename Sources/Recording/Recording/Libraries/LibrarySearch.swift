import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// Finds a program's shared libraries, and their own, where its loader does.
package struct LibrarySearch {
  private var nodes: [LibraryGraph.Node] = []
  /// For each node the one that loaded it first; for the binary, itself.
  private var loaders: [Int] = []
  /// Nodes by name: the needed name, and the image's own.
  private var names: [TextBytes: Int] = [:]
  private var files: [FilePlace: Int] = [:]
  private let folders: LoaderFolders
  /// The paths that the loader found, by name; nil if it listed none.
  private var listed: [TextBytes: String]?

  /// - Parameter later: paths of libraries that the program itself opens.
  package static func graph(_ facts: BinaryFacts, later: [String] = []) -> LibraryGraph {
    var search = LibrarySearch(facts)
    if let identity = Self.identity(facts.path) { search.files[identity] = 0 }
    search.add(facts, name: facts.path, loader: 0, isLoadedLater: false)
    search.follow(from: 0, isLoadedLater: false)
    for path in later {
      let next = search.nodes.count
      search.list(path)
      guard search.open(path, name: path, loader: 0, isLoadedLater: true) == next else { continue }
      search.follow(from: next, isLoadedLater: true)
    }
    return LibraryGraph(nodes: search.nodes)
  }

  private init(_ facts: BinaryFacts) {
    folders = LoaderFolders(architecture: facts.architecture)
    listed = LoaderListing.paths(facts)
  }

  /// Adds the paths that the loader finds for a library that the program opens.
  private mutating func list(_ path: String) {
    guard listed != nil, let image = try? DebugImage(path: path, debugDirectories: []),
      let facts = try? image.facts(), let found = LoaderListing.paths(facts)
    else { return }
    listed?.merge(found) { first, _ in first }
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
    if let path = listed?[name] {
      return open(path, name: name, loader: image, isLoadedLater: isLoadedLater)
    }
    var chain: [BinaryFacts] = []
    var at = image
    while at != 0 {
      at = loaders[at]
      chain.append(nodes[at].facts)
    }
    for place in folders.places(of: name, for: nodes[image].facts, loaders: chain) {
      // The loader lists a library that is needed by two names once.
      if listed != nil, Self.identity(place).map({ files[$0] == nil }) ?? true { continue }
      if let found = open(place, name: name, loader: image, isLoadedLater: isLoadedLater) {
        return found
      }
    }
    return nil
  }

  /// The image of a file, which may already have another name; nil if no file of this machine's
  /// kind exists.
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
  private static func identity(_ path: String) -> FilePlace? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FilePlace(status)
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

/// The loader's interface for debuggers (`r_brk` and `_r_debug` of <link.h>).
package enum LoaderPlaces {
  /// The link-time address of the empty function that glibc and musl call after mapping or
  /// unmapping libraries; 0 if there is none.
  ///
  /// - Parameter state: set to the address of `_r_debug`, or 0.
  package static func find(_ path: String, _ state: UnsafeMutablePointer<UInt64>) -> UInt64 {
    guard let loader = try? DebugImage(path: path) else { return 0 }
    state.pointee = loader.elf.dynamicSymbol(named: "_r_debug") ?? 0
    return loader.symbols.named(["_dl_debug_state"]).first?.address ?? 0
  }
}
