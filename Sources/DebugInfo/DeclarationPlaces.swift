/// Finds where functions are declared.
struct DeclarationPlaces {
  struct Place {
    var file: String?
    var line = 0
    var isCompilerMade = false
    /// The name that debug information gives it.
    var name: String?

    static let compilerMade = Place(
      file: "<compiler-generated>", line: 0, isCompilerMade: true)
  }

  private let image: DebugImage

  init(_ image: DebugImage) { self.image = image }

  private func isUnnamed(_ address: UInt64) -> Bool { image.symbols.indices(at: address).isEmpty }

  /// For each entry address where its function is declared: by the function's own entry in the
  /// debug information; where it has none there, by the line table. Code that debug information
  /// covers without naming a line is the compiler's.
  func places(of addresses: [UInt64]) -> [Place] {
    var places = [Place](repeating: Place(), count: addresses.count)
    guard image.hasDebugInfo else { return places }
    let dwarf = image.dwarf
    // The addresses' indices by unit.
    var byUnit = [[Int32]](repeating: [], count: dwarf.units.count)
    for (index, address) in addresses.enumerated() {
      guard let offset = dwarf.offset(address), let unit = dwarf.unit(at: offset) else { continue }
      byUnit[unit].append(Int32(index))
    }
    let units = byUnit.indices.filter { !byUnit[$0].isEmpty }
    dwarf.prepare(units)
    let members = byUnit
    let found = Parallel.map(units.count, batch: 16) { number in
      self.places(of: members[units[number]].map { addresses[Int($0)] }, in: units[number], dwarf)
    }
    for (unit, unitPlaces) in zip(units, found) {
      for (index, place) in zip(byUnit[unit], unitPlaces) { places[Int(index)] = place }
    }
    return places
  }

  private func places(of addresses: [UInt64], in unit: Int, _ dwarf: DWARFIndex) -> [Place] {
    let scopes = dwarf.scopeTable(unit)
    let lines = dwarf.lineTable(unit)
    var entries: [UInt32: Int] = [:]
    for function in scopes.functions where entries[function.start] == nil {
      entries[function.start] = scopes.scopes[Int(function.scope)].entry
    }
    // Paths by number: functions of one unit share few files.
    var paths: [UInt64: String?] = [:]
    func path(_ fileUnit: Int, _ number: UInt64) -> String? {
      guard fileUnit == unit else { return dwarf.lineTable(fileUnit).files.plainPath(number) }
      if let known = paths[number] { return known }
      let path = lines.files.plainPath(number)
      paths[number] = path
      return path
    }
    return addresses.map { address in
      guard let offset = dwarf.offset(address) else { return Place() }
      if let entry = entries[offset] {
        let declaration = dwarf.declaration(entry)
        var place = Place.compilerMade
        if declaration.line > 0, let file = declaration.file {
          let path = path(file.unit, file.number)
          if path != "<compiler-generated>" {
            place = Place(
              file: path, line: Int(clamping: declaration.line), isCompilerMade: false)
          }
        }
        // Wanted only where the symbol table has none, which is rare.
        if isUnnamed(address) { place.name = declaration.bestName?.text }
        return place
      }
      guard let row = lines.row(at: offset) else { return Place() }
      if row.line == 0 || lines.files.isCompilerMade(UInt64(row.file)) { return .compilerMade }
      return Place(file: path(unit, UInt64(row.file)), line: Int(row.line), isCompilerMade: false)
    }
  }
}
