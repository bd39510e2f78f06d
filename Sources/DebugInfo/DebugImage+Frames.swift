extension DebugImage {
  /// Where the code at a link-time address comes from, by the line table.
  public func location(of address: UInt64) -> SourceLocation? {
    guard hasDebugInfo, let offset = dwarf.offset(address), let unit = dwarf.unit(at: offset) else {
      return nil
    }
    let table = dwarf.lineTable(unit)
    guard let row = table.row(at: offset), let file = table.files.path(UInt64(row.file)) else {
      return nil
    }
    return SourceLocation(file: file, line: Int(row.line), column: Int(row.column))
  }

  /// What is at a link-time address: the innermost inlined function first, the function that the
  /// symbol table knows last. Never empty.
  public func frames(at address: UInt64) -> [Frame] {
    var resolver = FrameResolver(self)
    return resolver.frames(at: address, inlines: true)
  }

  /// What is at each of many link-time addresses, in their order; much faster than one by one.
  /// Without `inlines` one frame each: the function that the symbol table knows, and the place that
  /// the line table gives.
  public func frames(at addresses: [UInt64], inlines: Bool) -> [[Frame]] {
    if hasDebugInfo {
      let dwarf = dwarf
      var isNeeded = [Bool](repeating: false, count: dwarf.units.count)
      for address in addresses {
        if let offset = dwarf.offset(address), let unit = dwarf.unit(at: offset) {
          isNeeded[unit] = true
        }
      }
      let units = isNeeded.indices.filter { isNeeded[$0] }
      dwarf.prepare(lines: units, scopes: inlines ? units : [])
    }
    var resolver = FrameResolver(self)
    return addresses.map { resolver.frames(at: $0, inlines: inlines) }
  }
}

/// Makes frames, each text once.
struct FrameResolver {
  private struct FileKey: Hashable {
    var unit: Int
    var number: UInt64
  }

  private let image: DebugImage
  private let symbols: SymbolTable
  private let dwarf: DWARFIndex?
  private var paths: [FileKey: String?] = [:]
  private var symbolNames: [Int: String] = [:]
  private var entryNames: [Int: String] = [:]

  init(_ image: DebugImage) {
    self.image = image
    symbols = image.symbols
    dwarf = image.hasDebugInfo ? image.dwarf : nil
  }

  mutating func frames(at address: UInt64, inlines: Bool) -> [Frame] {
    var name = symbols.index(containing: address).map { symbolName($0) }
    guard let dwarf, let offset = dwarf.offset(address), let unit = dwarf.unit(at: offset) else {
      return [Frame(function: name ?? "", location: nil)]
    }
    let row = dwarf.row(at: offset, unit: unit)
    let location = row.flatMap {
      self.location(unit, UInt64($0.file), line: Int($0.line), column: Int($0.column))
    }
    let chain = inlines || name == nil ? dwarf.scopeTable(unit).chain(at: offset) : []
    guard let function = chain.last else {
      return [Frame(function: name ?? "", location: location)]
    }
    if name == nil { name = entryName(function.entry) }
    guard inlines else { return [Frame(function: name ?? "", location: location)] }
    var frames: [Frame] = []
    frames.reserveCapacity(chain.count)
    var place = location
    for scope in chain.dropLast() {
      frames.append(Frame(function: entryName(scope.entry), location: place))
      place = self.location(
        unit, UInt64(scope.callFile), line: Int(scope.callLine), column: Int(scope.callColumn))
    }
    frames.append(Frame(function: name ?? "", location: place))
    return frames
  }

  private mutating func symbolName(_ index: Int) -> String {
    if let known = symbolNames[index] { return known }
    let name = symbols.name(index)
    symbolNames[index] = name
    return name
  }

  private mutating func entryName(_ entry: Int) -> String {
    if let known = entryNames[entry] { return known }
    let name = dwarf?.declaration(entry).bestName?.text ?? ""
    entryNames[entry] = name
    return name
  }

  private mutating func location(
    _ unit: Int, _ file: UInt64, line: Int, column: Int
  ) -> SourceLocation? {
    guard let path = path(unit, file) else { return nil }
    return SourceLocation(file: path, line: line, column: column)
  }

  /// The path of a file by its number in a unit's line table.
  mutating func path(_ unit: Int, _ number: UInt64) -> String? {
    let key = FileKey(unit: unit, number: number)
    if let known = paths[key] { return known }
    let path = dwarf?.lineTable(unit).files.path(number)
    paths[key] = path
    return path
  }
}
