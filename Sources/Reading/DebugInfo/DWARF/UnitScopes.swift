import CElfutils

/// The functions of a unit and their inlined calls, by address.
struct UnitScopes {
  /// A function, or an inlined call.
  struct Scope {
    var entry: Dwarf_Die
    /// The scope that contains the inlined call, an earlier one; -1 for a function.
    var parent: Int32
    /// Place of the inlined call.
    var callFile: UInt32
    var callLine: UInt32
    var callColumn: UInt32
  }

  private(set) var scopes: [Scope] = []
  /// Every range of every function, in the order of the file, with its index in `scopes`. A function's
  /// first range contains its entry: DWARF 5, section 2.17, calls it the base of the scope.
  private(set) var functions: [(start: UInt32, end: UInt32, scope: Int32)] = []
  /// Entries of functions that the compiler marks as inlined.
  private(set) var inlinedOrigins: [Dwarf_Die] = []
  /// Entries of functions without code and without the mark of inlining. Declarations are left out.
  private(set) var codelessEntries: [Dwarf_Die] = []
  /// Entries of functions with code, or marked as inlined, that other entries describe.
  private(set) var instances: [Dwarf_Die] = []
  /// Whether any call was inlined, even if no code is left of it.
  private(set) var hasInlines = false
  /// Whether any entry is a function with code, which the linker may have dropped since.
  private(set) var hasFunctions = false
  /// Whether any function's entry claims to list all its calls.
  private(set) var describesCalls = false
  private var innermost = IntervalMap([])

  /// Walks all entries of a unit.
  ///
  /// - Parameters:
  ///   - withInlines: whether to include inlined calls.
  ///   - wanted: rising offsets; functions that contain none of them are skipped. Nil includes all.
  init(_ unit: OpenUnit, code: Range<UInt64>, withInlines: Bool, wanted: [UInt32]? = nil) {
    var intervals: [IntervalMap.Interval] = []
    // The scope of the children of each entry on the current path.
    var levels: [Int32] = [-1]
    var cursor = unit.entries
    while cursor.next() {
      let outer = levels[cursor.depth - 1]
      var inner = outer
      switch cursor.tag {
      case Tag.subprogram:
        // A nested function is not part of the enclosing function's code.
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
    innermost = IntervalMap(intervals)
  }

  /// Adds a function or inlined call that has code; returns the scope of its children.
  private mutating func add(
    _ entry: inout Dwarf_Die, _ unit: OpenUnit, _ code: Range<UInt64>, outer: Int32,
    isInlined: Bool, _ wanted: [UInt32]?, _ intervals: inout [IntervalMap.Interval]
  ) -> Int32 {
    let values = EntryValues(&entry)
    if !isInlined {
      hasFunctions = hasFunctions || values.hasCode
      describesCalls = describesCalls || values.describesCalls
      if values.isInlined { inlinedOrigins.append(entry) }
      if values.hasOrigin {
        if values.isInlined || values.hasCode { instances.append(entry) }
      } else if !values.isInlined, !values.hasCode, !values.isDeclaration {
        codelessEntries.append(entry)
      }
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

  /// Calls `body` with the innermost scope at `offset`, then with each enclosing one; true marks
  /// the function itself, the last.
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
