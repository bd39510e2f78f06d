/// A shared library that a binary needs, and what of it the binary uses.
public struct LibraryUse: Hashable, Sendable {
  /// As `DT_NEEDED` names it.
  public var name: String
  /// Where the loader would find it on this machine; nil: not found.
  public var path: String?
  /// How many symbols the binary itself takes from it.
  public var symbols: Int

  /// Whether the binary itself takes nothing from it. Others that it needs may.
  public var isUnused: Bool { path != nil && symbols == 0 }

  /// Gives each imported symbol to the first library that defines it, as the loader does.
  ///
  /// - Parameter libraries: in the order of `DT_NEEDED`; nil `path`: not found.
  public static func uses(
    imported: [String], libraries: [(name: String, path: String?, exported: [String])]
  ) -> [LibraryUse] {
    var owner: [String: Int] = [:]
    for (index, library) in libraries.enumerated() {
      for symbol in library.exported where owner[symbol] == nil { owner[symbol] = index }
    }
    var counts = [Int](repeating: 0, count: libraries.count)
    for symbol in Set(imported) {
      if let index = owner[symbol] { counts[index] += 1 }
    }
    return libraries.indices.map {
      LibraryUse(name: libraries[$0].name, path: libraries[$0].path, symbols: counts[$0])
    }
  }
}
