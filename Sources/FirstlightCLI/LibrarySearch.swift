import DebugInfo
import FirstlightModel
import Glibc
import StartupCost

/// Finds the shared libraries that a binary needs where the loader would (ld.so(8)), but for
/// `LD_LIBRARY_PATH` and the cache: the folders that the cache is made from are looked through.
struct LibrarySearch {
  private let facts: BinaryFacts

  init(_ facts: BinaryFacts) {
    self.facts = facts
  }

  /// What of each needed library the binary uses.
  func uses() -> [LibraryUse] {
    let libraries = facts.dynamic.needed.map { name in
      var exported: [String] = []
      let path = find(name)
      if let path, let image = try? DebugImage(path: path, debugDirectories: []) {
        exported = (try? image.facts().dynamic.exported) ?? []
      }
      return (name: name, path: path, exported: exported)
    }
    return LibraryUse.uses(imported: facts.dynamic.imported, libraries: libraries)
  }

  private func find(_ name: String) -> String? {
    if name.contains("/") { return access(name, R_OK) == 0 ? name : nil }
    return folders.lazy.map { "\($0)/\(name)" }.first { access($0, R_OK) == 0 }
  }

  private var folders: [String] {
    let absolute = AbsolutePath.of(facts.path)
    let origin = String(absolute[..<(absolute.lastIndex(of: "/") ?? absolute.startIndex)])
    let own = facts.dynamic.runPath.map { path in
      ["$ORIGIN", "${ORIGIN}"].contains { path.hasPrefix($0) }
        ? origin + path.dropFirst(path.hasPrefix("${") ? 9 : 7) : path
    }
    let machine = "\(facts.architecture)-linux-gnu"
    let usual = [machine, "", "64"].flatMap { kind in
      kind == "64" ? ["/lib64", "/usr/lib64"] : ["/lib/\(kind)", "/usr/lib/\(kind)"]
    }
    return own + usual + ["/usr/local/lib"]
  }
}
