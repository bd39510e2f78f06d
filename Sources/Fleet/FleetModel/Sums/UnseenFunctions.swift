import FirstlightModel

/// The functions of a build that watchers could not see: function g stands for itself if no start of the program was
/// watched, and as g + the build's number of functions if it was not watched at all.
///
/// Runs combine by intersection: what all of them missed. Within a run, gaps add up: a function that was unwatched for a
/// while may have been called then. Only functions that no recording called are meant, so any called ones may be in the
/// set; that keeps it to few ranges, most often to one.
package struct UnseenFunctions: Hashable, Sendable {
  package private(set) var ranges = RangeSet<UInt32>()

  /// Of a process that recorded itself.
  package init() {}

  /// - Parameters:
  ///   - gaps: functions that were not watched at all.
  ///   - lacksStart: whether the program's start was not watched, so that any function may have been called then.
  package init(gaps: RangeSet<UInt32>, lacksStart: Bool, of count: Int) {
    let count = UInt32(clamping: count)
    let known = gaps.intersection(RangeSet(0..<count))
    for range in known.ranges {
      ranges.insert(contentsOf: range.lowerBound + count..<range.upperBound + count)
    }
    ranges.formUnion(lacksStart ? RangeSet(0..<count) : known)
  }

  /// - Parameters:
  ///   - withoutStart, unwatched: see `RecordedBuild`. Called functions count as both.
  init(
    withoutStart: some Sequence<UInt32>, unwatched: some Sequence<UInt32>, of count: Int
  ) {
    let count = UInt32(clamping: count)
    for index in withoutStart where index < count { insert(index) }
    for index in unwatched where index < count { insert(count + index) }
  }

  private mutating func insert(_ index: UInt32) { ranges.insert(contentsOf: index..<index + 1) }

  package var isEmpty: Bool { ranges.isEmpty }

  package func contains(_ index: UInt32) -> Bool { ranges.contains(index) }

  /// The same without a start.
  func withoutStart(of count: Int) -> UnseenFunctions {
    var all = self
    all.ranges.formUnion(RangeSet(0..<UInt32(clamping: count)))
    return all
  }

  package func intersection(_ other: UnseenFunctions) -> UnseenFunctions {
    if isEmpty || self == other { return self }
    var both = UnseenFunctions()
    both.ranges = ranges.intersection(other.ranges)
    return both
  }

  package func union(_ other: UnseenFunctions) -> UnseenFunctions {
    if other.isEmpty { return self }
    var either = self
    either.ranges.formUnion(other.ranges)
    return either
  }

  /// The functions that were not watched at all, without what a missing start leaves open.
  func gaps(of count: Int) -> UnseenFunctions {
    let count = UInt32(clamping: count)
    let gaps = ranges.intersection(RangeSet(count..<2 * count)).ranges
    return UnseenFunctions(
      gaps: RangeSet(gaps.map { $0.lowerBound - count..<$0.upperBound - count }), lacksStart: false,
      of: Int(count))
  }

  /// As many ranges as receivers accept: beyond that, it claims to have seen less.
  func limited(of count: Int) -> UnseenFunctions {
    guard ranges.ranges.count > TraceLimits.unseenRanges else { return self }
    let count = UInt32(clamping: count)
    var limited = self
    for half in [0..<count, count..<2 * count] {
      let part = ranges.intersection(RangeSet(half)).ranges
      if let first = part.first, let last = part.last {
        limited.ranges.insert(contentsOf: first.lowerBound..<last.upperBound)
      }
    }
    return limited
  }
}

/// As rising bounds, each range's first index and the one after its last.
extension UnseenFunctions {
  package var bounds: [UInt32] {
    ranges.ranges.flatMap { [$0.lowerBound, $0.upperBound] }
  }

  /// - Parameter bounds: rising.
  package init(bounds: [UInt32]) {
    for place in stride(from: 0, to: bounds.count - 1, by: 2) {
      ranges.insert(contentsOf: bounds[place]..<bounds[place + 1])
    }
  }
}

extension RecordedBuild {
  /// What no recording of the build has seen; called functions count as well.
  var unseen: UnseenFunctions {
    let called = coverage.indices.lazy.filter { coverage[$0].isCalled }.map(UInt32.init)
    return UnseenFunctions(
      withoutStart: withoutStart.isEmpty ? [] : withoutStart.union(called).sorted(),
      unwatched: unwatched.isEmpty ? [] : unwatched.union(called).sorted(), of: build.guardCount)
  }

  mutating func set(_ unseen: UnseenFunctions) {
    let count = UInt32(clamping: build.guardCount)
    let uncalled = unseen.isEmpty ? [] : coverage.indices.filter { !coverage[$0].isCalled }
    let functions = uncalled.map(UInt32.init)
    withoutStart = Set(functions.filter(unseen.contains))
    unwatched = Set(functions.filter { unseen.contains(count + $0) })
  }
}
