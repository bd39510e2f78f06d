/// The functions of a unit and what is inlined into them, by address.
struct ScopeTable: Sendable {
  /// A function, or one inlined call of one.
  struct Scope: Sendable {
    /// Where its entry is in `.debug_info`.
    var entry: Int
    /// Where the entry of the function it is a copy of is; `entry` if it is none.
    var origin: Int
    /// The scope it is inlined into; -1: it is a function itself.
    var parent: Int32
    /// Where the call is that was inlined away.
    var callFile: UInt32
    var callLine: UInt32
    var callColumn: UInt32
  }

  private(set) var scopes: [Scope] = []
  /// Every range of every function, as they stand in the file: start, and index into `scopes`.
  private(set) var functions: [(start: UInt32, end: UInt32, scope: Int32)] = []
  private var innermost = IntervalMap([])

  static let empty = ScopeTable()

  private init() {}

  /// Walks all entries of a unit. `withInlines`: also those inlined, else functions alone.
  init(
    _ unit: Unit, _ table: AbbreviationTable, _ sections: DWARFSections, code: Range<UInt64>,
    withInlines: Bool = true
  ) {
    var cursor = ByteCursor(sections.info, at: unit.firstEntry)
    cursor.limit(to: unit.end)
    var intervals: [IntervalMap.Interval] = []
    // For each open level, the scope its entries are in.
    var levels: [Int32] = []
    var scope: Int32 = -1
    var budget = (sections.ranges.count + sections.rangeLists.count) / 2 + (unit.end - unit.offset)
    let is64Bit = unit.is64Bit
    table.abbreviations.withUnsafeBufferPointer { abbreviations in
      table.skips.withUnsafeBufferPointer { skips in
        while !cursor.isAtEnd {
          let entry = cursor.position
          let code0 = cursor.uleb()
          if code0 == 0 {
            guard let outer = levels.popLast() else { return }
            scope = outer
            continue
          }
          guard let index = table.index(ofCode: code0) else { return }
          let abbreviation = abbreviations[index]
          var inner = scope
          if abbreviation.tag == Tag.subprogram
            || abbreviation.tag == Tag.inlinedSubroutine && withInlines
          {
            inner = read(
              entry, abbreviation, table, &cursor, unit, sections, code, scope, &intervals, &budget)
          } else {
            for skip in abbreviation.skips {
              let step = skips[skip]
              cursor.skip(step.size)
              if step.form != 0 {
                AttributeValue.skip(&cursor, form: step.form, is64Bit: is64Bit)
              }
            }
          }
          if abbreviation.hasChildren {
            levels.append(scope)
            scope = inner
          } else if levels.isEmpty {
            return
          }
        }
      }
    }
    innermost = IntervalMap(intervals)
  }

  /// Reads the entry of a function or inlined call; gives the scope its children are in.
  private mutating func read(
    _ entry: Int, _ abbreviation: Abbreviation, _ table: AbbreviationTable,
    _ cursor: inout ByteCursor, _ unit: Unit, _ sections: DWARFSections, _ code: Range<UInt64>,
    _ outer: Int32, _ intervals: inout [IntervalMap.Interval], _ budget: inout Int
  ) -> Int32 {
    var low: AttributeValue?
    var high: AttributeValue?
    var ranges: AttributeValue?
    let isInlined = abbreviation.tag == Tag.inlinedSubroutine
    var scope = Scope(
      entry: entry, origin: entry, parent: isInlined ? outer : -1, callFile: 0, callLine: 0,
      callColumn: 0)
    table.attributes.withUnsafeBufferPointer { attributes in
      for index in abbreviation.attributes {
        let attribute = attributes[index]
        let value = AttributeValue.read(
          &cursor, form: attribute.form, implicit: attribute.implicit, is64Bit: unit.is64Bit)
        switch attribute.name {
        case Attribute.lowPC: low = value
        case Attribute.highPC: high = value
        case Attribute.ranges: ranges = value
        case Attribute.abstractOrigin: scope.origin = unit.reference(value) ?? entry
        case Attribute.callFile: scope.callFile = UInt32(clamping: value.raw)
        case Attribute.callLine: scope.callLine = UInt32(clamping: value.raw)
        case Attribute.callColumn: scope.callColumn = UInt32(clamping: value.raw)
        default: break
        }
      }
    }
    guard low != nil || ranges != nil, !cursor.failed, scopes.count < Int(Int32.max) else {
      return isInlined ? outer : -1
    }
    let number = Int32(scopes.count)
    var isLive = false
    RangeList.forEach(low: low, high: high, ranges: ranges, of: unit, sections, budget: &budget) {
      start, end in
      guard code.contains(start), let first = UInt32(exactly: start - code.lowerBound) else {
        return
      }
      let last = UInt32(clamping: min(end, code.upperBound) - code.lowerBound)
      isLive = true
      intervals.append(.init(start: first, end: last, value: number))
      if !isInlined { functions.append((first, last, number)) }
    }
    guard isLive else { return isInlined ? outer : -1 }
    scopes.append(scope)
    return number
  }

  /// Calls `body` with the innermost scope at `offset`, then the ones it is inlined into, each with
  /// whether it is the function itself, the last.
  func forEachScope(at offset: UInt32, _ body: (Scope, Bool) -> Void) {
    guard var index = innermost.value(at: offset) else { return }
    // A parent is always an earlier scope, so this ends.
    while true {
      let parent = Int(scopes[index].parent)
      let isFunction = parent < 0 || parent >= index
      body(scopes[index], isFunction)
      if isFunction { return }
      index = parent
    }
  }
}
