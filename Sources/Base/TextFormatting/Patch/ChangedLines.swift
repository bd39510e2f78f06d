/// A file's lines, and the ranges that a change replaces.
struct ChangedLines {
  /// The removed lines, and their replacement.
  struct Change {
    var old: Range<Int>
    var new: [ArraySlice<UInt8>]
  }

  /// The lines with their line ends.
  let lines: [ArraySlice<UInt8>]
  private(set) var changes: [Change] = []

  init(_ change: FileChange) {
    lines = Self.split(change.source[...])
    var first = 0
    var open: (lines: Range<Int>, edits: [FileChange.Edit])?
    for edit in change.edits where !edit.range.isEmpty || !edit.text.isEmpty {
      let range = edit.range
      while first < lines.count, lines[first].endIndex <= range.lowerBound { first += 1 }
      var end = first
      while end < lines.count, lines[end].startIndex < range.upperBound { end += 1 }
      if let group = open, group.lines.upperBound > first {
        open = (group.lines.lowerBound..<end, group.edits + [edit])
      } else {
        close(open, change.source)
        open = (first..<end, [edit])
      }
    }
    close(open, change.source)
  }

  private mutating func close(
    _ group: (lines: Range<Int>, edits: [FileChange.Edit])?, _ source: [UInt8]
  ) {
    guard let group else { return }
    var rest: [UInt8] = []
    var place = start(group.lines.lowerBound, source)
    for edit in group.edits {
      rest += source[place..<edit.range.lowerBound]
      rest += edit.text
      place = edit.range.upperBound
    }
    rest += source[place..<start(group.lines.upperBound, source)]
    changes.append(Change(old: group.lines, new: Self.split(rest[...])))
  }

  private func start(_ line: Int, _ source: [UInt8]) -> Int {
    line < lines.count ? lines[line].startIndex : source.count
  }

  static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    return rest.isEmpty ? lines : lines + [rest]
  }
}
