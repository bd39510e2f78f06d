/// A file's lines, and those of them that a change replaces.
struct ChangedLines {
  /// Lines that go, and what stands there then.
  struct Change {
    var old: Range<Int>
    var new: [ArraySlice<UInt8>]
  }

  /// With their line ends.
  let lines: [ArraySlice<UInt8>]
  private(set) var changes: [Change] = []

  init(_ change: FileChange) {
    lines = Self.split(change.source[...])
    var first = 0
    var open: (lines: Range<Int>, ranges: [Range<Int>])?
    for range in change.removed where !range.isEmpty {
      while lines[first].endIndex <= range.lowerBound { first += 1 }
      var last = first
      while lines[last].endIndex < range.upperBound { last += 1 }
      if let group = open, group.lines.upperBound > first {
        open = (group.lines.lowerBound..<last + 1, group.ranges + [range])
      } else {
        close(open, change.source)
        open = (first..<last + 1, [range])
      }
    }
    close(open, change.source)
  }

  private mutating func close(
    _ group: (lines: Range<Int>, ranges: [Range<Int>])?, _ source: [UInt8]
  ) {
    guard let group else { return }
    var rest: [UInt8] = []
    var place = lines[group.lines.lowerBound].startIndex
    for range in group.ranges {
      rest += source[place..<range.lowerBound]
      place = range.upperBound
    }
    rest += source[place..<lines[group.lines.upperBound - 1].endIndex]
    changes.append(Change(old: group.lines, new: Self.split(rest[...])))
  }

  private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    return rest.isEmpty ? lines : lines + [rest]
  }
}
