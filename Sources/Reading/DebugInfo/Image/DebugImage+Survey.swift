import FirstlightModel

extension DebugImage {
  /// Where a function is declared.
  struct Place {
    var file: String?
    var line = 0
    var isCompilerGenerated = false
    /// The name that debug information gives it, if no symbol does.
    var name: String?
  }

  /// For each entry address where its function is declared: by the function's own entry in the debug
  /// information; where it has none there, by the line table. Code that debug information covers without
  /// naming a line is the compiler's.
  func places(of addresses: [UInt64]) -> [Place] {
    guard hasDebugInfo else { return [Place](repeating: Place(), count: addresses.count) }
    let survey = survey
    return addresses.map { address in
      guard let offset = dwarf.offset(address), let place = survey.place(at: offset) else {
        return Place()
      }
      return Place(
        file: place.isCompilerGenerated
          ? SourcePaths.compilerGenerated
          : place.path < 0 ? nil : survey.paths[Int(place.path)],
        line: Int(place.line), isCompilerGenerated: place.isCompilerGenerated,
        name: place.name < 0 ? nil : survey.names[Int(place.name)])
    }
  }

  /// The functions of `source` that were copied into others.
  func inlined(of build: Build, _ source: SourceScope) -> [InlinedFunction] {
    InlinedFunctions(survey, code: dwarf.code, probeGuards: probes.map(\.index))
      .functions(of: build, source)
  }

  /// The guards that are no entries (those of level `edge`), and where they are.
  private var probes: [(offset: UInt32, index: UInt32)] {
    pcTable.enumerated().compactMap { index, entry in
      entry.isFunctionEntry ? nil : dwarf.offset(entry.address).map { ($0, UInt32(index)) }
    }
  }

  /// A survey of all functions that symbols, guards or unwind tables know.
  func makeSurvey() -> CodeSurvey {
    var others = pcTable.lazy.filter(\.isFunctionEntry).map(\.address) + []
    if !hasLocalSymbols { others += functionEntries.addresses }
    // Of entries for the same offset the one with a symbol comes first.
    var keys = symbols.entries.compactMap { dwarf.offset($0.address).map { UInt64($0) << 1 } }
    keys += others.compactMap { dwarf.offset($0).map { UInt64($0) << 1 | 1 } }
    keys.sort()
    var starts: [SurveyBuilder.Start] = []
    starts.reserveCapacity(keys.count)
    for key in keys where starts.last.map({ UInt64($0.offset) != key >> 1 }) ?? true {
      starts.append(.init(offset: UInt32(key >> 1), hasSymbol: key & 1 == 0))
    }
    return SurveyBuilder(dwarf, starts: starts, probes: probes.map(\.offset)).survey()
  }
}
