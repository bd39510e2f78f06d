import CElfutils

/// The functions of a unit and what is inlined into them, by address.
struct UnitScopes {
  /// A function, or one inlined call of one.
  struct Scope {
    var entry: Dwarf_Die
    /// The scope it is inlined into, an earlier one; -1: it is a function itself.
    var parent: Int32
    /// Where the call is that was inlined away.
    var callFile: UInt32
    var callLine: UInt32
    var callColumn: UInt32
  }

  private(set) var scopes: [Scope] = []
  /// Every range of every function, as they stand in the file, and its place in `scopes`. A function's
  /// first range is the one that is entered: DWARF 5, section 2.17, calls it the base of the scope.
  private(set) var functions: [(start: UInt32, end: UInt32, scope: Int32)] = []
  /// Entries of functions of which the compiler says that it inlined some call.
  private(set) var inlinedOrigins: [Dwarf_Die] = []
  /// Whether any call was inlined, in code that is left or not.
  private(set) var hasInlines = false
  /// Whether any entry is of a function with code, which may since have been dropped.
  private(set) var hasFunctions = false
  /// Whether any function's entry says that it lists all its calls.
  private(set) var describesCalls = false
  private var innermost = IntervalMap([])

  /// Walks all entries of a unit.
  ///
  /// - Parameters:
  ///   - withInlines: also what is inlined, else functions alone.
  ///   - wanted: rising offsets; functions that hold none of them are passed over. Nil: all count.
  init(_ unit: OpenUnit, code: Range<UInt64>, withInlines: Bool, wanted: [UInt32]? = nil) {
    var intervals: [IntervalMap.Interval] = []
    // The scope that the children of the entries on the way to the current one are in.
    var levels: [Int32] = [-1]
    var cursor = unit.entries
    while cursor.next() {
      let outer = levels[cursor.depth - 1]
      var inner = outer
      switch cursor.tag {
      case Tag.subprogram:
        // It may stand within another function's entry, whose code it is no part of.
        var entry = cursor.entry
        inner = add(&entry, unit, code, outer: -1, isInlined: false, wanted, &intervals)
      case Tag.inlinedSubroutine:
        hasInlines = true
        if withInlines, outer >= 0 {
          var entry = cursor.entry
          inner = add(&entry, unit, code, outer: outer, isInlined: true, nil, &intervals)
        }
      default: break
      }
      if levels.count > cursor.depth {
        levels[cursor.depth] = inner
      } else {
        levels.append(inner)
      }
    }
    if cursor.isTooDeep {
      unit.handle.leaveOut("entries nested deeper than \(DebugInfoLimits.depth)")
    }
    innermost = IntervalMap(intervals)
  }

  /// Adds a function or inlined call if it has code; gives the scope that its children are in.
  private mutating func add(
    _ entry: inout Dwarf_Die, _ unit: OpenUnit, _ code: Range<UInt64>, outer: Int32,
    isInlined: Bool, _ wanted: [UInt32]?, _ intervals: inout [IntervalMap.Interval]
  ) -> Int32 {
    let values = EntryValues(&entry, in: unit.split)
    if !isInlined {
      hasFunctions = hasFunctions || values.hasCode
      describesCalls = describesCalls || values.describesCalls
      if values.isInlined { inlinedOrigins.append(entry) }
    }
    let number = Int32(scopes.count)
    let firstInterval = intervals.count
    let firstFunction = functions.count
    var isWanted = wanted == nil
    func add(_ start: UInt64, _ end: UInt64) {
      guard code.contains(start), start < end,
        let first = UInt32(exactly: start - code.lowerBound)
      else { return }
      let last = UInt32(clamping: min(end, code.upperBound) - code.lowerBound)
      intervals.append(.init(start: first, end: last, value: number))
      if !isInlined { functions.append((first, last, number)) }
      if let wanted, !isWanted {
        let next = wanted.partitioningIndex { $0 >= first }
        isWanted = next < wanted.count && wanted[next] < last
      }
    }
    if values.hasRanges {
      unit.forEachRange(of: &entry, add)
    } else if let range = values.range {
      add(range.start, range.end)
    }
    guard intervals.count > firstInterval, isWanted, scopes.count < Int(Int32.max) else {
      intervals.removeSubrange(firstInterval...)
      functions.removeSubrange(firstFunction...)
      return outer
    }
    scopes.append(
      Scope(
        entry: entry, parent: outer, callFile: values.callFile, callLine: values.callLine,
        callColumn: values.callColumn))
    return number
  }

  /// Calls `body` with the innermost scope at `offset`, then the ones it is inlined into, each with
  /// whether it is the function itself, the last.
  func forEachScope(at offset: UInt32, _ body: (Scope, Bool) -> Void) {
    guard var index = innermost.value(at: offset) else { return }
    while true {
      let scope = scopes[index]
      body(scope, scope.parent < 0)
      if scope.parent < 0 { return }
      index = Int(scope.parent)
    }
  }
}
