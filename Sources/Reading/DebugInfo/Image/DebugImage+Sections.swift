extension DebugImage {
  /// The name of the section that holds a link-time address; empty if none does.
  package func sectionName(at address: UInt64) -> String {
    elf.sections.first {
      $0.isAllocated && $0.size > 0 && address >= $0.address && address - $0.address < $0.size
    }?.name ?? ""
  }

  /// Those of some linker names that debug information knows inlined copies of. Reads all units.
  package func inlinedFunctions(among names: Set<String>) -> Set<String> {
    guard hasDebugInfo, !names.isEmpty else { return [] }
    let survey = survey
    return Set(survey.origins.lazy.filter { $0.name >= 0 }.map { survey.names[Int($0.name)] })
      .intersection(names)
  }
}
