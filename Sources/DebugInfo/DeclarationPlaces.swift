/// Finds where functions are declared.
struct DeclarationPlaces {
  struct Place {
    var file: String?
    var line = 0
    var isCompilerMade = false

    static let compilerMade = Place(file: "<compiler-generated>", line: 0, isCompilerMade: true)
  }

  private let image: DebugImage

  init(_ image: DebugImage) { self.image = image }

  /// For each entry address where its function is declared: by the function's own entry in the
  /// debug information; where it has none there, by the line table. Code that debug information
  /// covers without naming a line is the compiler's.
  func places(of addresses: [UInt64]) -> [Place] {
    var places = [Place](repeating: Place(), count: addresses.count)
    guard image.hasDebugInfo else { return places }
    let dwarf = image.dwarf
    var wanted: [UInt64] = []
    wanted.reserveCapacity(addresses.count)
    for (index, address) in addresses.enumerated() {
      guard let offset = dwarf.offset(address), let unit = dwarf.unit(at: offset) else { continue }
      _ = unit
      wanted.append(UInt64(offset) << 32 | UInt64(UInt32(truncatingIfNeeded: index)))
    }
    var units = [Bool](repeating: false, count: dwarf.units.count)
    for item in wanted {
      if let unit = dwarf.unit(at: UInt32(item >> 32)) { units[unit] = true }
    }
    let needed = units.indices.filter { units[$0] }
    dwarf.prepare(lines: needed, scopes: needed)
    var resolver = FrameResolver(image)
    var entries: [Int: [UInt32: Int]] = [:]
    for item in wanted {
      let offset = UInt32(item >> 32)
      guard let unit = dwarf.unit(at: offset) else { continue }
      if entries[unit] == nil {
        let scopes = dwarf.scopeTable(unit)
        var starts: [UInt32: Int] = [:]
        for function in scopes.functions where starts[function.start] == nil {
          starts[function.start] = scopes.scopes[Int(function.scope)].entry
        }
        entries[unit] = starts
      }
      places[Int(UInt32(truncatingIfNeeded: item))] = place(
        offset, unit, entries[unit]?[offset], dwarf, &resolver)
    }
    return places
  }

  private func place(
    _ offset: UInt32, _ unit: Int, _ entry: Int?, _ dwarf: DWARFIndex,
    _ resolver: inout FrameResolver
  ) -> Place {
    if let entry {
      let declaration = dwarf.declaration(entry)
      guard declaration.line > 0, let file = declaration.file else { return .compilerMade }
      let path = resolver.path(file.unit, file.number)
      if path == "<compiler-generated>" { return .compilerMade }
      return Place(file: path, line: Int(clamping: declaration.line))
    }
    let table = dwarf.lineTable(unit)
    guard let row = table.row(at: offset) else { return Place() }
    if row.line == 0 || table.files.isCompilerMade(UInt64(row.file)) { return .compilerMade }
    return Place(file: resolver.path(unit, UInt64(row.file)), line: Int(row.line))
  }
}
