import FirstlightModel

/// Maps addresses to values by ranges, which are sorted and flattened for a binary search.
///
/// If ranges nest, the inner one counts; of equal ones, the one added last. Addresses are offsets
/// from the image's first code address.
struct IntervalMap: Sendable {
  /// A range and its value.
  struct Interval {
    var start: UInt32
    var end: UInt32
    var value: Int32
  }

  private var starts: [UInt32] = []
  /// -1 where there is no range.
  private var values: [Int32] = []

  /// Sorts and flattens: O(n log n), or O(n) for sorted ranges.
  init(_ intervals: [Interval]) {
    guard !intervals.isEmpty else { return }
    // Outer before inner, earlier added before later: the later one overwrites.
    var keys: [(key: UInt64, index: Int32)] = []
    keys.reserveCapacity(intervals.count)
    for (index, interval) in intervals.enumerated() where interval.start < interval.end {
      let key = UInt64(interval.start) << 32 | UInt64(~interval.end)
      keys.append((key, Int32(truncatingIfNeeded: index)))
    }
    keys.sort { $0.key != $1.key ? $0.key < $1.key : $0.index < $1.index }
    starts.reserveCapacity(keys.count * 2)
    values.reserveCapacity(keys.count * 2)
    var open: [(end: UInt32, value: Int32)] = []
    for (_, index) in keys {
      let interval = intervals[Int(index)]
      close(&open, before: interval.start)
      paint(interval.start, interval.value)
      open.append((interval.end, interval.value))
    }
    close(&open, before: .max)
  }

  /// Ends the ranges that end at or before `limit`, innermost first.
  private mutating func close(_ open: inout [(end: UInt32, value: Int32)], before limit: UInt32) {
    while let last = open.last, last.end <= limit {
      open.removeLast()
      // If two ranges only overlap, the outer one may have ended earlier: nothing of it remains.
      while let outer = open.last, outer.end <= last.end { open.removeLast() }
      paint(last.end, open.last?.value ?? -1)
    }
  }

  private mutating func paint(_ start: UInt32, _ value: Int32) {
    if starts.last == start {
      values[values.count - 1] = value
    } else {
      starts.append(start)
      values.append(value)
    }
  }

  /// The value of the innermost range around `offset`; nil if there is none.
  func value(at offset: UInt32) -> Int? { number(at: offset).map { Int(values[$0]) } }

  /// The number of the innermost range around `offset`; nil if there is none. What an inner range divides has a number
  /// on each side.
  func number(at offset: UInt32) -> Int? {
    let index = starts.partitioningIndex { $0 > offset } - 1
    return index >= 0 && values[index] >= 0 ? index : nil
  }
}

/// A place in the source.
package struct SourceLocation: Hashable, Sendable {
  /// The compiler's path; `<compiler-generated>` for code that Swift generated.
  package var file: String
  /// 0 for compiler-generated code without a source line.
  package var line: Int
  /// 0 if unknown.
  package var column: Int
}

/// A function at an address: the function itself, or one inlined into it.
package struct Frame: Hashable, Sendable {
  /// The linker's name; empty if the function has no name.
  package var function: String
  /// The place in this function: except in the innermost frame, the place where it calls the next inner one.
  package var location: SourceLocation?

  package var file: String? { location?.file }
  package var line: Int { location?.line ?? 0 }
  package var column: Int { location?.column ?? 0 }
}
