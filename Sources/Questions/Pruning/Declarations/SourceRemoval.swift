import NeverCalled

/// The text to remove from one source file.
package struct SourceRemoval: Hashable, Sendable {
  package var removed: [DeclarationTarget] = []
  /// By removed declaration: its first byte, comments above included.
  package var starts: [DeclarationTarget: Int] = [:]
  package var kept: [DeclarationTarget: KeepingReason] = [:]
  /// Names of types and extensions that become empty.
  package var emptied: [String] = []
  /// Byte ranges of the file to remove, sorted and separate.
  package var ranges: [Range<Int>] = []
  /// Whether only imports and comments remain.
  package var isFileEmptied = false

  /// The number of lines that a file loses with each removed declaration. Blank lines, and what is left of a type, count
  /// with the declaration above them, or else with the first one.
  ///
  /// - Parameter isDeleted: whether the file goes as a whole.
  func lineCounts(in source: [UInt8], isDeleted: Bool) -> [DeclarationTarget: Int] {
    let starts = starts.sorted { ($0.value, $0.key.line) < ($1.value, $1.key.line) }
    var counts: [DeclarationTarget: Int] = [:]
    for range in isDeleted ? [source.indices] : ranges {
      let inside = starts.filter { range.contains($0.value) }
      guard let first = inside.first else { continue }
      var (owner, next) = (first.key, 1)
      for place in range {
        while next < inside.count, inside[next].value <= place {
          (owner, next) = (inside[next].key, next + 1)
        }
        if source[place] == UInt8(ascii: "\n") { counts[owner, default: 0] += 1 }
      }
    }
    return counts
  }

  /// Also removes whole lines.
  ///
  /// - Parameter numbers: from 1.
  package func adding(lines numbers: [Int], of source: [UInt8]) -> SourceRemoval {
    guard !numbers.isEmpty else { return self }
    let lines = SourceText(source, .plain)
    var result = self
    result.ranges = RemovedRanges(lines).tidied(
      ranges + numbers.compactMap { lines.range(ofLine: $0) })
    return result
  }
}
