import FirstlightModel

/// The function symbols of the binary to be linked, by name and by the name without suffixes of
/// copies.
package struct TargetSymbols: Sendable {
  /// The result of looking up a recorded name.
  package enum Match: Hashable, Sendable {
    /// The target has the name.
    case exact
    /// The target has the name with another clone suffix, or with none.
    case cloneSuffix
    /// Several files of the target have a function of this name, and nothing shows which one it is.
    case ambiguous
    /// The target has no such name.
    case gone
  }

  private let symbols: [TargetSymbol]
  private let byName: [TextBytes: [Int32]]
  /// Symbols whose name differs from its base.
  private let byBase: [TextBytes: [Int32]]
  private let file: @Sendable (UInt64) -> String?

  /// - Parameters:
  ///   - symbols: only of functions, in any order.
  ///   - file: returns the source file of the function at an address; nil if it is unknown.
  package init(
    _ symbols: [TargetSymbol], file: @escaping @Sendable (UInt64) -> String? = { _ in nil }
  ) {
    self.symbols = symbols
    self.file = file
    var byName: [TextBytes: [Int32]] = [:]
    var byBase: [TextBytes: [Int32]] = [:]
    byName.reserveCapacity(symbols.count)
    for (index, symbol) in symbols.enumerated() {
      byName[symbol.name, default: []].append(Int32(index))
      let base = CloneSuffix(symbol.name).base
      if base != symbol.name { byBase[base, default: []].append(Int32(index)) }
    }
    self.byName = byName
    self.byBase = byBase
  }

  /// The target's symbols for a recorded name: one, or, for a name local to several object files,
  /// one for each address.
  ///
  /// A missing name is looked up without its clone suffixes and with others. Pieces of a coroutine
  /// (`.resume`, `.destroy`, `.cleanup`) match only the same piece, and a cold part only a cold
  /// part. Of functions that are local to files, those of the recorded file match. The number of a copy does not
  /// identify it across builds, so the smallest copy represents all.
  ///
  /// - Parameter file: the recorded function's source file; nil if it is unknown.
  package func find(
    _ name: String, file: String? = nil
  ) -> (match: Match, symbols: [TargetSymbol]) {
    let exact = distinct(byName[name] ?? [])
    if exact.count == 1, !exact[0].isLocal { return (.exact, exact) }
    let suffix = CloneSuffix(name)
    let base = String(suffix.base)
    var others = byBase[base] ?? []
    if suffix.part == nil { others += byName[base] ?? [] }
    let copies = distinct(others).filter {
      $0.name != name && CloneSuffix($0.name).part == suffix.part
    }
    let all = exact + copies
    // A linker moves all functions of one name.
    if copies.isEmpty, !exact.isEmpty { return (.exact, exact) }
    guard all.count > 1 else { return all.isEmpty ? (.gone, []) : (.cloneSuffix, all) }
    let fitting = ofFile(file, all)
    let isOfOneFile =
      suffix.isOfOneFile || fitting.contains { CloneSuffix($0.name).isOfOneFile }
    if isOfOneFile, Set(texts: fitting.map(\.name)).count > 1 { return (.ambiguous, []) }
    let kept = fitting.filter { $0.name == name }
    if !kept.isEmpty { return (.exact, kept) }
    // The plain name is best; of several copies, a wrong guess costs least with the smallest.
    let best = fitting.min {
      let (first, second) = ($0.name == base ? 0 : 1, $1.name == base ? 0 : 1)
      return (first, $0.size, $0.address) < (second, $1.size, $1.address)
    }
    return best.map { (.cloneSuffix, [$0]) } ?? (.gone, [])
  }

  /// The parts of a function that a linker moves one by one (`-fbasic-block-sections`), in the order of their names.
  func blocks(of name: String) -> [TargetSymbol] {
    (byBase[name] ?? []).map { symbols[Int($0)] }
      .filter { CloneSuffix($0.name).part?.begins(with: ".__part") == true }
      .sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }
  }

  /// The symbols whose file shares the longest end with the recorded path; all if no file is known or fits.
  private func ofFile(_ file: String?, _ symbols: [TargetSymbol]) -> [TargetSymbol] {
    guard let file else { return symbols }
    let wanted = file.split(at: "/").reversed()
    let shared = symbols.map { symbol -> Int in
      guard symbol.isLocal, let other = self.file(symbol.address) else { return 0 }
      return zip(wanted, other.split(at: "/").reversed()).prefix { $0 == $1 }.count
    }
    guard let most = shared.max(), most > 0 else { return symbols }
    return zip(symbols, shared).filter { $1 == most }.map(\.0)
  }

  private func distinct(_ indices: [Int32]) -> [TargetSymbol] {
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
    !file.begins(with: "/") || folders.contains { file.begins(with: $0) }
  }

  /// The file's path; for a member, its archive's path.
  package static func archive(_ file: String) -> String {
    file.ends(with: ")") ? String(file.prefix(upToAny: "(")) : file
  }
}
