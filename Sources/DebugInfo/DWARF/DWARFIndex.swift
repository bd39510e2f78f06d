import Synchronization

/// The debug information of one image: which unit covers an address, and the units' tables, each
/// decoded when first needed.
final class DWARFIndex: Sendable {
  let sections: DWARFSections
  /// Addresses of code; offsets count from its start.
  let code: Range<UInt64>
  let units: [Unit]
  private let unitOffsets: [Int]
  private let covering: IntervalMap
  private let lineTables: [Lazily<LineTable>]
  private let scopeTables: [Lazily<ScopeTable>]
  private let abbreviationTables = Mutex<[UInt64: AbbreviationTable]>([:])

  init(_ sections: DWARFSections, code: Range<UInt64>) {
    self.sections = sections
    self.code = code
    var offsets: [Int] = []
    var offset = 0
    while let end = Unit.end(sections, at: offset), offsets.count < Int(Int32.max) {
      offsets.append(offset)
      offset = end
    }
    let unitOffsets = offsets
    let units = Parallel.map(offsets.count, batch: 256) { Unit(sections, at: unitOffsets[$0]) }
      .compactMap { $0 }
    self.units = units
    self.unitOffsets = units.map(\.offset)
    lineTables = units.map { _ in Lazily() }
    scopeTables = units.map { _ in Lazily() }

    var intervals: [IntervalMap.Interval] = []
    var budget = sections.ranges.count + sections.rangeLists.count + units.count
    // Some producers give a unit no ranges of its own: take its functions'.
    let functionRanges = Parallel.map(units.count, batch: 256) {
      Self.functionRanges(units[$0], sections, code)
    }
    // Of units that claim the same code the first answers, and IntervalMap lets the last one win.
    for (index, unit) in units.enumerated().reversed() where unit.isCode {
      func add(_ start: UInt64, _ end: UInt64) {
        guard code.contains(start), start < end else { return }
        guard let first = UInt32(exactly: start - code.lowerBound) else { return }
        let last = UInt32(clamping: min(end, code.upperBound) - code.lowerBound)
        intervals.append(.init(start: first, end: last, value: Int32(index)))
      }
      if unit.ranges != nil || unit.highPC != nil {
        RangeList.forEach(
          low: AttributeValue(form: Form.address, raw: unit.lowPC), high: unit.highPC,
          ranges: unit.ranges, of: unit, sections, budget: &budget, add)
      } else {
        for range in functionRanges[index] { add(range.start, range.end) }
      }
    }
    covering = IntervalMap(intervals)
  }

  /// The ranges of the functions of a unit that has line numbers but no ranges of its own.
  private static func functionRanges(
    _ unit: Unit, _ sections: DWARFSections, _ code: Range<UInt64>
  ) -> [(start: UInt64, end: UInt64)] {
    // A unit without code has a line table too, for its files' names.
    guard unit.isCode, unit.ranges == nil, unit.highPC == nil,
      let header = LineProgramHeader(unit, sections), !header.program.isEmpty
    else { return [] }
    let table = AbbreviationTable(
      sections.abbreviations, offset: unit.abbreviationsOffset, is64Bit: unit.is64Bit)
    let scopes = ScopeTable(unit, table, sections, code: code, withInlines: false)
    return scopes.functions.map {
      (code.lowerBound + UInt64($0.start), code.lowerBound + UInt64($0.end))
    }
  }

  /// An address as an offset from the first address of code; nil if it is elsewhere.
  func offset(_ address: UInt64) -> UInt32? {
    code.contains(address) ? UInt32(exactly: address - code.lowerBound) : nil
  }

  /// Which unit covers the code at `offset`.
  func unit(at offset: UInt32) -> Int? { covering.value(at: offset) }

  func lineTable(_ unit: Int) -> LineTable {
    lineTables[unit].value { LineTable(units[unit], sections, code: code) }
  }

  func scopeTable(_ unit: Int) -> ScopeTable {
    scopeTables[unit].value {
      ScopeTable(units[unit], abbreviations(units[unit]), sections, code: code)
    }
  }

  /// Where the code at `offset` comes from, by the line table.
  func row(at offset: UInt32, unit: Int) -> LineTable.Row? { lineTable(unit).row(at: offset) }

  /// What the entry at `entry` says of its name and place. Follows the entries it refers to: those
  /// nearer to `entry` are believed first.
  func declaration(_ entry: Int) -> Declaration {
    var declaration = Declaration()
    var next: Int? = entry
    // Concrete function, abstract one, declaration in its type: more steps are a damaged file's.
    for _ in 0..<8 {
      guard let entry = next else { break }
      next = nil
      let index = unitOffsets.partition(notAfter: entry) - 1
      guard index >= 0, units[index].isCode, entry >= units[index].firstEntry,
        entry < units[index].end
      else { break }
      let unit = units[index]
      let table = abbreviations(unit)
      var cursor = ByteCursor(sections.info, at: entry)
      cursor.limit(to: unit.end)
      guard let abbreviation = table.index(ofCode: cursor.uleb()) else { break }
      for attribute in table.abbreviations[abbreviation].attributes {
        let specification = table.attributes[attribute]
        let value = AttributeValue.read(
          &cursor, form: specification.form, implicit: specification.implicit,
          is64Bit: unit.is64Bit)
        switch specification.name {
        case Attribute.linkageName, Attribute.mipsLinkageName:
          declaration.linkageName = declaration.linkageName ?? unit.string(value, sections)
        case Attribute.name: declaration.name = declaration.name ?? unit.string(value, sections)
        case Attribute.declarationFile:
          declaration.file = declaration.file ?? (index, value.raw)
        case Attribute.declarationLine:
          if declaration.line == 0 { declaration.line = value.raw }
        case Attribute.abstractOrigin, Attribute.specification: next = unit.reference(value)
        default: break
        }
      }
      if cursor.failed { break }
    }
    return declaration
  }

  /// Whether any unit was compiled with optimisation. Swift's compiler marks its units; of other
  /// languages', those count that hold inlined functions.
  var isOptimised: Bool {
    // Of C modules that Swift code imports, Swift's compiler makes units that share the abbreviations
    // of the Swift units beside them.
    let swift = Set(units.lazy.filter { $0.language == 0x1e }.map(\.abbreviationsOffset))
    return units.contains { unit in
      guard unit.isCode else { return false }
      if unit.language == 0x1e { return unit.isMarkedOptimised }
      if unit.language == 0 || swift.contains(unit.abbreviationsOffset) { return false }
      // Our own runtime, which is in every program, is optimised.
      let name = unit.name.flatMap { unit.string($0, sections) }
      if let name, name.text.contains("/FirstlightRuntime/") { return false }
      return abbreviations(unit).abbreviations.contains { $0.tag == Tag.inlinedSubroutine }
    }
  }

  /// Decodes the tables of some units on all processors, so that what follows finds them ready.
  func prepare(_ units: [Int]) {
    Parallel.forEach(units.count, batch: 8) { part in
      for unit in units[part] { (_, _) = (lineTable(unit), scopeTable(unit)) }
    }
  }

  private func abbreviations(_ unit: Unit) -> AbbreviationTable {
    let key = unit.abbreviationsOffset
    if let known = abbreviationTables.withLock({ $0[key] }) { return known }
    let table = AbbreviationTable(sections.abbreviations, offset: key, is64Bit: unit.is64Bit)
    abbreviationTables.withLock { $0[key] = table }
    return table
  }
}

extension [Int] {
  /// In a rising array: how many elements are at or below `limit`.
  fileprivate func partition(notAfter limit: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
