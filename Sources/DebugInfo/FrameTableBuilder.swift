/// Resolves many addresses at once: sorts them by compilation unit, decodes each unit that holds
/// any once, on all processors, and gathers the texts at the end.
struct FrameTableBuilder {
  /// A frame before its texts are known.
  private struct RawFrame {
    /// A symbol's index; or, negative, the complement of an entry's place in `.debug_info`.
    /// Int.min: nothing names it.
    var name: Int
    var unit: Int32
    var file: UInt32
    var line: UInt32
    var column: UInt32
  }

  /// Where an address is.
  private struct Position {
    var symbol: Int32
    var unit: Int32
    var offset: UInt32
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
    let order = orderByUnit(positions)
    // Parts of the order that don't cut a unit in two, each resolved into an array of its own.
    let cuts = cuts(order, positions)
    let parts = Parallel.map(cuts.count - 1, batch: 1) { part in
      resolve(order[cuts[part]..<cuts[part + 1]], positions)
    }
    return gather(parts, order, cuts)
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

  /// The addresses' indices, those of one unit together; a counting sort.
  private func orderByUnit(_ positions: [Position]) -> [Int32] {
    var starts = [Int32](repeating: 0, count: (dwarf?.units.count ?? 0) + 2)
    for position in positions { starts[Int(position.unit) + 1] += 1 }
    var sum: Int32 = 0
    for index in starts.indices {
      let count = starts[index]
      starts[index] = sum
      sum += count
    }
    var order = [Int32](repeating: 0, count: positions.count)
    for (index, position) in positions.enumerated() {
      let slot = Int(position.unit) + 1
      order[Int(starts[slot])] = Int32(index)
      starts[slot] += 1
    }
    return order
  }

  private func cuts(_ order: [Int32], _ positions: [Position]) -> [Int] {
    var cuts = [0]
    var next = 512
    while next < order.count {
      if positions[Int(order[next])].unit == positions[Int(order[next - 1])].unit {
        next += 1
      } else {
        cuts.append(next)
        next += 512
      }
    }
    cuts.append(order.count)
    return cuts
  }

  /// The frames of some addresses, and how many each has.
  private func resolve(
    _ order: ArraySlice<Int32>, _ positions: [Position]
  ) -> (frames: [RawFrame], counts: [Int32]) {
    var frames: [RawFrame] = []
    frames.reserveCapacity(order.count * (inlines ? 3 : 1))
    var counts: [Int32] = []
    counts.reserveCapacity(order.count)
    var unit: Int32 = -1
    var lines = LineTable.empty
    var scopes: ScopeTable?
    for index in order {
      let position = positions[Int(index)]
      let before = frames.count
      if position.unit != unit, let dwarf {
        unit = position.unit
        lines = dwarf.lineTable(Int(unit))
        scopes = inlines ? dwarf.scopeTable(Int(unit)) : nil
      }
      append(position, lines, scopes, to: &frames)
      counts.append(Int32(frames.count - before))
    }
    return (frames, counts)
  }

  private func append(
    _ position: Position, _ lines: LineTable, _ scopes: ScopeTable?,
    to frames: inout [RawFrame]
  ) {
    var frame = RawFrame(
      name: position.symbol < 0 ? .min : Int(position.symbol), unit: -1, file: 0, line: 0,
      column: 0)
    guard position.unit >= 0, let dwarf else { return frames.append(frame) }
    if let row = lines.row(at: position.offset) {
      frame.unit = position.unit
      (frame.file, frame.line, frame.column) = (UInt32(row.file), row.line, UInt32(row.column))
    }
    var scopes = scopes
    if scopes == nil, position.symbol < 0 { scopes = dwarf.scopeTable(Int(position.unit)) }
    guard let scopes else { return frames.append(frame) }
    let symbol = frame.name
    scopes.forEachScope(at: position.offset) { scope, isFunction in
      guard inlines || isFunction else { return }
      frame.name = isFunction && symbol >= 0 ? symbol : ~scope.entry
      frames.append(frame)
      frame.name = .min
      frame.unit = position.unit
      (frame.file, frame.line, frame.column) = (scope.callFile, scope.callLine, scope.callColumn)
    }
    if frame.name == symbol { frames.append(frame) }
  }

  private func gather(
    _ parts: [(frames: [RawFrame], counts: [Int32])], _ order: [Int32], _ cuts: [Int]
  ) -> FrameTable {
    var table = FrameTable()
    // Where each address's frames are: part, first, count.
    var places = [(part: Int32, first: Int32, count: Int32)](
      repeating: (0, 0, 0), count: order.count)
    for (part, result) in parts.enumerated() {
      var first: Int32 = 0
      for (index, count) in zip(order[cuts[part]..<cuts[part + 1]], result.counts) {
        places[Int(index)] = (Int32(part), first, count)
        first += count
      }
    }
    var interner = Interner(symbols, dwarf)
    table.entries.reserveCapacity(parts.reduce(0) { $0 + $1.frames.count })
    table.starts.reserveCapacity(order.count + 1)
    for place in places {
      parts[Int(place.part)].frames.withUnsafeBufferPointer { frames in
        for index in Int(place.first)..<Int(place.first + place.count) {
          let frame = frames[index]
          table.entries.append(
            FrameTable.Entry(
              name: interner.name(frame.name),
              file: frame.unit < 0 ? -1 : interner.file(Int(frame.unit), frame.file),
              line: frame.line, column: frame.column))
        }
      }
      table.starts.append(Int32(table.entries.count))
    }
    for index in table.entries.indices where table.entries[index].file < 0 {
      table.entries[index].line = 0
      table.entries[index].column = 0
    }
    table.names = interner.names
    table.files = interner.files
    return table
  }

  /// Makes each text once.
  private struct Interner {
    private let symbols: SymbolTable
    private let dwarf: DWARFIndex?
    private var symbolNames: [Int32]
    private var entryNames: [Int: Int32] = [:]
    private var paths: [UInt64: Int32] = [:]
    var names: [String] = []
    var files: [String] = []

    init(_ symbols: SymbolTable, _ dwarf: DWARFIndex?) {
      self.symbols = symbols
      self.dwarf = dwarf
      symbolNames = [Int32](repeating: -1, count: symbols.entries.count)
    }

    mutating func name(_ key: Int) -> Int32 {
      if key == .min { return -1 }
      if key >= 0 {
        if symbolNames[key] < 0 {
          symbolNames[key] = Int32(names.count)
          names.append(symbols.name(key))
        }
        return symbolNames[key]
      }
      if let known = entryNames[~key] { return known }
      var number: Int32 = -1
      if let name = dwarf?.declaration(~key).bestName {
        number = Int32(names.count)
        names.append(name.text)
      }
      entryNames[~key] = number
      return number
    }

    mutating func file(_ unit: Int, _ number: UInt32) -> Int32 {
      let key = UInt64(unit) << 32 | UInt64(number)
      if let known = paths[key] { return known }
      var index: Int32 = -1
      if let path = dwarf?.lineTable(unit).files.path(UInt64(number)) {
        index = Int32(files.count)
        files.append(path)
      }
      paths[key] = index
      return index
    }
  }
}
