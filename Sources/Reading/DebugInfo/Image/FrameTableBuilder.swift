import CElfutils
import SystemSupport

/// Resolves many addresses at once: sorts them by compilation unit, opens each needed unit once, on
/// all processors, and collects the texts at the end.
struct FrameTableBuilder {
  /// A frame with indices in place of texts.
  private struct RawFrame {
    /// Index of a symbol; if negative, the complement of an index into the sweep's names, minus 1.
    var name: Int32
    /// Index into the sweep's paths; -1 if unknown.
    var file: Int32 = -1
    var line: UInt32 = 0
    var column: UInt32 = 0

    /// The function has no name.
    static let unnamed = Int32.min
  }

  /// The symbol and unit of an address.
  private struct Position {
    var symbol: Int32
    var unit: Int32
    var offset: UInt32
  }

  /// One thread's results.
  private struct Found: Sendable {
    var frames: [RawFrame] = []
    /// The answered addresses, with their ranges in `frames`.
    var answers: [(query: Int32, first: Int32, count: Int32)] = []
    var names = EntryNames()
    var paths = NumberedPaths()
  }

  private let symbols: SymbolTable
  private let dwarf: DWARFIndex?
  private let inlines: Bool

  init(_ image: DebugImage, inlines: Bool) {
    image.prepare()
    symbols = image.symbols
    dwarf = image.hasDebugInfo ? image.dwarf : nil
    self.inlines = inlines
  }

  func table(for addresses: [UInt64]) -> FrameTable {
    let positions = Parallel.map(addresses.count, batch: 2048) { position(addresses[$0]) }
    var found: [Found] = []
    if let dwarf {
      let groups = AddressesByUnit(positions.map(\.unit), unitCount: dwarf.units.count)
      let units = dwarf.units.indices.filter { !groups[$0].isEmpty }
      found = dwarf.sweep(units, Found()) {
        found, unit in
        resolve(groups[unit.index], positions, unit, dwarf.code, &found)
      }
    }
    return gather(found, positions)
  }

  private func position(_ address: UInt64) -> Position {
    var position = Position(symbol: -1, unit: -1, offset: 0)
    if let symbol = symbols.index(containing: address) { position.symbol = Int32(symbol) }
    if let dwarf, let offset = dwarf.offset(address) {
      position.offset = offset
      if let unit = dwarf.unit(at: offset) { position.unit = Int32(unit) }
    }
    return position
  }

  private func resolve(
    _ run: ArraySlice<Int32>, _ positions: [Position], _ unit: OpenUnit, _ code: Range<UInt64>,
    _ found: inout Found
  ) {
    // Debug information names only functions that the symbol table lacks.
    var scopes: UnitScopes?
    if inlines || run.contains(where: { positions[Int($0)].symbol < 0 }) {
      scopes = UnitScopes(
        unit, code: code, withInlines: inlines,
        wanted: run.map { positions[Int($0)].offset }.sorted())
    }
    let directory = unit.lines.compilationDirectory
    for query in run {
      let position = positions[Int(query)]
      let first = found.frames.count
      var frame = RawFrame(name: RawFrame.unnamed)
      if let row = unit.lines.row(at: code.lowerBound + UInt64(position.offset)) {
        frame.file = found.paths.number(row.file, in: directory)
        (frame.line, frame.column) = (row.line, row.column)
      }
      scopes?.forEachScope(at: position.offset) { scope, isFunction in
        var entry = scope.entry
        if isFunction {
          if position.symbol < 0 { frame.name = Self.key(&found, &entry) }
          return
        }
        frame.name = Self.key(&found, &entry)
        found.frames.append(frame)
        frame = RawFrame(
          name: RawFrame.unnamed,
          file: found.paths.number(unit.lines.file(UInt64(scope.callFile)), in: directory),
          line: scope.callLine, column: scope.callColumn)
      }
      if position.symbol >= 0 { frame.name = position.symbol }
      found.frames.append(frame)
      found.answers.append((query, Int32(first), Int32(found.frames.count - first)))
    }
  }

  private static func key(_ found: inout Found, _ entry: inout Dwarf_Die) -> Int32 {
    let number = found.names.number(Declaration.name(of: &entry))
    return number < 0 ? RawFrame.unnamed : ~number
  }

  private func gather(_ found: [Found], _ positions: [Position]) -> FrameTable {
    var table = FrameTable()
    var places = [(part: Int32, first: Int32, count: Int32)](
      repeating: (-1, 0, 0), count: positions.count)
    for (part, found) in found.enumerated() {
      for answer in found.answers {
        places[Int(answer.query)] = (Int32(part), answer.first, answer.count)
      }
    }
    var texts = SweepTexts(symbols, found.map { ($0.names, $0.paths.paths) })
    table.entries.reserveCapacity(max(positions.count, found.reduce(0) { $0 + $1.frames.count }))
    table.starts.reserveCapacity(positions.count + 1)
    for (query, place) in places.enumerated() {
      if place.part < 0 {
        let name = texts.symbol(positions[query].symbol)
        table.entries.append(FrameTable.Entry(name: name, file: -1, line: 0, column: 0))
      } else {
        let part = Int(place.part)
        for frame in found[part].frames[Int(place.first)..<Int(place.first + place.count)] {
          let file = texts.path(part, frame.file)
          table.entries.append(
            FrameTable.Entry(
              name: frame.name >= 0
                ? texts.symbol(frame.name)
                : frame.name == RawFrame.unnamed ? -1 : texts.name(part, ~frame.name),
              file: file, line: file < 0 ? 0 : frame.line, column: file < 0 ? 0 : frame.column))
        }
      }
      table.starts.append(Int32(table.entries.count))
    }
    table.names = texts.names
    table.files = texts.files
    return table
  }
}
