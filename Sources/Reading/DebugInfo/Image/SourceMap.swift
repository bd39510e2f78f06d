import CElfutils
import FirstlightModel
import SystemSupport

/// The source of an image's code: the file and line of a PC with the functions inlined there, and the declaration of a
/// function.
package struct SourceMap: Sendable {
  private let image: DebugImage

  init(_ image: DebugImage) { self.image = image }

  /// The frames at many link-time addresses, in their order: from the innermost inlined function to
  /// the one in the symbol table. Without `inlines`, each address has one frame: the function from
  /// the symbol table with the line from the line table.
  ///
  /// Sorts the addresses by compilation unit, opens each needed unit once, on all processors, and collects the texts at
  /// the end.
  package func frames(at addresses: [UInt64], inlines: Bool) -> FrameTable {
    image.prepare()
    let (symbols, dwarf) = (image.symbols, image.hasDebugInfo ? image.dwarf : nil)
    let positions = Parallel.map(addresses.count, batch: 2048) {
      Position(of: addresses[$0], symbols, dwarf)
    }
    var found: [FoundFrames] = []
    if let dwarf {
      let groups = AddressesByUnit(positions.map(\.unit), unitCount: dwarf.units.count)
      let units = dwarf.units.indices.filter { !groups[$0].isEmpty }
      found = dwarf.sweep(units, FoundFrames()) { found, unit in
        resolve(groups[unit.index], positions, unit, dwarf.code, inlines, &found)
      }
    }
    return FrameTable(found, symbols: symbols, of: positions.map(\.symbol))
  }

  /// The symbol and unit of an address; -1 if it has none.
  private struct Position {
    var symbol: Int32 = -1
    var unit: Int32 = -1
    var offset: UInt32 = 0

    init(of address: UInt64, _ symbols: FunctionSymbols, _ dwarf: DWARFIndex?) {
      if let index = symbols.index(containing: address) { symbol = Int32(index) }
      guard let dwarf, let offset = dwarf.offset(address) else { return }
      self.offset = offset
      if let unit = dwarf.unit(at: offset) { self.unit = Int32(unit) }
    }
  }

  /// Adds the frames at some of a unit's addresses.
  private func resolve(
    _ run: ArraySlice<Int32>, _ positions: [Position], _ unit: OpenUnit, _ code: Range<UInt64>,
    _ inlines: Bool, _ found: inout FoundFrames
  ) {
    // Debug information names only functions that the symbol table lacks.
    var scopes: UnitScopes?
    if inlines || run.contains(where: { positions[Int($0)].symbol < 0 }) {
      scopes = UnitScopes(
        unit, code: code, withInlines: inlines,
        wanted: run.map { positions[Int($0)].offset }.sorted())
    }
    for query in run {
      let position = positions[Int(query)]
      let first = found.frames.count
      var frame = FoundFrames.Frame()
      if let place = unit.lines.place(
        at: code.lowerBound + UInt64(position.offset), &found.paths)
      {
        (frame.file, frame.line, frame.column) = (place.path, place.line, place.column)
      }
      scopes?.forEachScope(at: position.offset) { scope, isFunction in
        var entry = scope.entry
        if isFunction {
          if position.symbol < 0 { frame.name = found.name(of: &entry) }
          return
        }
        frame.name = found.name(of: &entry)
        found.frames.append(frame)
        frame = FoundFrames.Frame(
          file: found.paths.number(
            unit.lines.file(UInt64(scope.callFile)), in: unit.lines.compilationDirectory),
          line: scope.callLine, column: scope.callColumn)
      }
      if position.symbol >= 0 { frame.name = position.symbol }
      found.frames.append(frame)
      found.answers.append((query, Int32(first), Int32(found.frames.count - first)))
    }
  }
}

extension SourceMap {
  /// The place of a function's declaration.
  struct Declared {
    var file: String?
    var line = 0
    var isCompilerGenerated = false
    /// The name from debug information, unless the only symbol has it.
    var name: String?
  }

  /// The declaration of the function at each entry address: from its entry in the debug
  /// information, or else from the line table. Code that debug information covers without a line is
  /// compiler-generated.
  func declarations(at entries: [UInt64]) -> [Declared] {
    guard image.hasDebugInfo else { return [Declared](repeating: Declared(), count: entries.count) }
    let (survey, dwarf) = (image.survey, image.dwarf)
    return entries.map { address in
      guard let offset = dwarf.offset(address), let place = survey.place(at: offset) else {
        return Declared()
      }
      return Declared(
        file: place.isCompilerGenerated
          ? NumberedPaths.compilerGenerated
          : place.path < 0 ? nil : survey.paths[Int(place.path)],
        line: Int(place.line), isCompilerGenerated: place.isCompilerGenerated,
        name: place.name < 0 ? nil : survey.names[Int(place.name)])
    }
  }

  /// The source file of the function at an entry address; nil if it is unknown or compiler-generated.
  package func declaringFile(ofFunctionAt address: UInt64) -> String? {
    let place = declarations(at: [address])[0]
    return place.isCompilerGenerated ? nil : place.file
  }

  /// The linker names whose functions have inlined copies. Reads all units.
  package func inlinedFunctions(among names: Set<TextBytes>) -> Set<TextBytes> {
    guard image.hasDebugInfo, !names.isEmpty else { return [] }
    let survey = image.survey
    return Set(
      texts: survey.origins.lazy.filter { $0.name >= 0 }.map { survey.names[Int($0.name)] }
    )
    .intersection(names)
  }
}
