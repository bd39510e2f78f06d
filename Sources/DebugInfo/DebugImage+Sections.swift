extension DebugImage {
  /// The name of the section that holds a link-time address; empty if none does.
  public func sectionName(at address: UInt64) -> String {
    elf.sections.first {
      $0.isAllocated && $0.size > 0 && address >= $0.address && address - $0.address < $0.size
    }?.name ?? ""
  }

  /// Those of some linker names that debug information knows inlined copies of. Reads all units.
  public func inlinedFunctions(among names: Set<String>) -> Set<String> {
    guard hasDebugInfo, !names.isEmpty else { return [] }
    let dwarf = dwarf
    let found = Parallel.map(dwarf.units.count, batch: 8) { unit in
      guard dwarf.units[unit].isCode else { return Set<String>() }
      var found: Set<String> = []
      for scope in dwarf.scopeTable(unit).scopes where scope.parent >= 0 {
        let declaration = dwarf.declaration(scope.entry)
        if let name = (declaration.linkageName ?? declaration.name)?.text, names.contains(name) {
          found.insert(name)
        }
      }
      return found
    }
    return found.reduce(into: []) { $0.formUnion($1) }
  }
}
