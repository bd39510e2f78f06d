/// The function symbols of the binary to be linked, by name and by the name without suffixes of
/// copies.
package struct TargetSymbols: Sendable {
  /// The result of looking up a recorded name.
  package enum Match: Hashable, Sendable {
    /// The target has the name.
    case exact
    /// The target has the name with another clone suffix, or with none.
    case cloneSuffix
    /// The target has no such name.
    case gone
  }

  private let symbols: [TargetSymbol]
  private let byName: [String: [Int32]]
  /// Symbols whose name differs from its base.
  private let byBase: [String: [Int32]]

  /// - Parameter symbols: only of functions, in any order.
  package init(_ symbols: [TargetSymbol]) {
    self.symbols = symbols
    var byName: [String: [Int32]] = [:]
    var byBase: [String: [Int32]] = [:]
    byName.reserveCapacity(symbols.count)
    for (index, symbol) in symbols.enumerated() {
      byName[symbol.name, default: []].append(Int32(index))
      let base = CloneSuffix.base(of: symbol.name)
      if base.utf8.count < symbol.name.utf8.count {
        byBase[String(base), default: []].append(Int32(index))
      }
    }
    self.byName = byName
    self.byBase = byBase
  }

  /// The target's symbols for a recorded name: one, or, for a name local to several object files,
  /// one for each address.
  ///
  /// A missing name is looked up without its clone suffixes and with others. Pieces of a coroutine
  /// (`.resume`, `.destroy`, `.cleanup`) match only the same piece, and a cold part only a cold
  /// part. The number of a copy does not identify it across builds, so the smallest copy represents
  /// all.
  package func find(_ name: String) -> (match: Match, symbols: [TargetSymbol]) {
    if let exact = byName[name] { return (.exact, distinct(exact)) }
    let base = String(CloneSuffix.base(of: name))
    let piece = CloneSuffix.piece(of: name)
    var candidates = byBase[base] ?? []
    if piece == nil { candidates += byName[base] ?? [] }
    let fitting = candidates.map { symbols[Int($0)] }
      .filter { CloneSuffix.piece(of: $0.name) == piece }
    // The plain name is best; of several copies, a wrong guess costs least with the smallest.
    let best = fitting.min {
      let (first, second) = ($0.name == base ? 0 : 1, $1.name == base ? 0 : 1)
      return (first, $0.size, $0.address) < (second, $1.size, $1.address)
    }
    return best.map { (.cloneSuffix, [$0]) } ?? (.gone, [])
  }

  private func distinct(_ indices: [Int32]) -> [TargetSymbol] {
    if indices.count == 1 { return [symbols[Int(indices[0])]] }
    var seen: Set<UInt64> = []
    return indices.map { symbols[Int($0)] }.filter { seen.insert($0.address).inserted }
  }
}

/// A function symbol of the binary to be linked.
package struct TargetSymbol: Hashable, Sendable {
  package var name: String
  /// Link-time address.
  package var address: UInt64
  /// Size in bytes; 0 if the symbol table has none.
  package var size: UInt64
  /// Whether the name is local to one object file, so that others may have it too.
  package var isLocal: Bool

  package init(name: String, address: UInt64, size: UInt64, isLocal: Bool) {
    self.name = name
    self.address = address
    self.size = size
    self.isLocal = isLocal
  }
}

/// Distinguishes object files of a project from those of the toolchain and the system, whose
/// archives no build flag recompiles.
package struct SectionOwner: Sendable {
  /// Folders with a trailing slash.
  private let folders: [String]

  /// - Parameter folders: absolute folders of the project's files and builds.
  package init(folders: [String]) { self.folders = folders.map { $0 + "/" } }

  /// - Parameter file: a name from the linker's map: `dir/a.o`, `/usr/lib/libx.a(b.o)`.
  package func owns(_ file: String) -> Bool {
    !file.hasPrefix("/") || folders.contains { file.hasPrefix($0) }
  }

  /// The file's path; for a member, its archive's path.
  package static func archive(_ file: String) -> String {
    file.hasSuffix(")") ? String(file.prefix { $0 != "(" }) : file
  }
}
