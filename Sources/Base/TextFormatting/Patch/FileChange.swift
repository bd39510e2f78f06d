/// A file and its changes.
package struct FileChange: Hashable, Sendable {
  /// Replaces bytes of the source by others. Either removes bytes, or replaces whole lines by whole
  /// lines, or inserts these before a line.
  package struct Edit: Hashable, Sendable {
    package var range: Range<Int>
    package var text: [UInt8]

    package init(_ range: Range<Int>, _ text: [UInt8] = []) {
      self.range = range
      self.text = text
    }
  }

  /// Path relative to the folder of the patch.
  package var path: String
  package var source: [UInt8]
  /// Sorted and separate.
  package var edits: [Edit]
  /// Whether to remove the whole file.
  package var isDeleted: Bool
  package var isExecutable: Bool

  /// - Parameter removed: byte ranges of the source to remove, sorted and separate.
  package init(
    path: String, source: [UInt8], removed: [Range<Int>], isDeleted: Bool = false,
    isExecutable: Bool = false
  ) {
    self.path = path
    self.source = source
    edits = (isDeleted ? [0..<source.count] : removed).map { Edit($0) }
    self.isDeleted = isDeleted
    self.isExecutable = isExecutable
  }

  /// The change between two texts of a file.
  package init(path: String, from source: [UInt8], to result: [UInt8], isExecutable: Bool = false) {
    self.init(path: path, source: source, removed: [], isExecutable: isExecutable)
    edits = LineDifference.edits(from: source, to: result)
  }

  /// Whether the file stays as it is.
  package var isEmpty: Bool { edits.allSatisfy { $0.range.isEmpty && $0.text.isEmpty } }

  /// The file after the change.
  package var result: [UInt8] {
    var result: [UInt8] = []
    var place = 0
    for edit in edits {
      result += source[place..<edit.range.lowerBound]
      result += edit.text
      place = edit.range.upperBound
    }
    return result + source[place...]
  }

  /// Numbers of removed and of added lines in the patch.
  package var lineCounts: (removed: Int, added: Int) {
    ChangedLines(self).changes.reduce((0, 0)) { ($0.0 + $1.old.count, $0.1 + $1.new.count) }
  }
}

/// Compares two texts line by line.
private enum LineDifference {
  static func edits(from old: [UInt8], to new: [UInt8]) -> [FileChange.Edit] {
    let (before, after) = (ChangedLines.split(old[...]), ChangedLines.split(new[...]))
    let difference = after.difference(from: before)
    let removed = Set(difference.removals.map(offset))
    let added = Set(difference.insertions.map(offset))
    var edits: [FileChange.Edit] = []
    var (place, next) = (0, 0)
    while place < before.count || next < after.count {
      let (first, start) = (place, next)
      while removed.contains(place) { place += 1 }
      while added.contains(next) { next += 1 }
      if place > first || next > start {
        let begin = first < before.count ? before[first].startIndex : old.count
        let end = place < before.count ? before[place].startIndex : old.count
        edits.append(.init(begin..<end, after[start..<next].flatMap { $0 }))
      }
      (place, next) = (place + 1, next + 1)
    }
    return edits
  }

  private static func offset(_ change: CollectionDifference<ArraySlice<UInt8>>.Change) -> Int {
    switch change {
    case .remove(let offset, _, _), .insert(let offset, _, _): offset
    }
  }
}
