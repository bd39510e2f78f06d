import NeverCalled

/// The text to remove from one source file.
package struct SourceRemoval: Hashable, Sendable {
  package var removed: [DeclarationTarget] = []
  package var kept: [DeclarationTarget: KeepingReason] = [:]
  /// Names of types and extensions that become empty.
  package var emptied: [String] = []
  /// Byte ranges of the file to remove, sorted and separate.
  package var ranges: [Range<Int>] = []
  /// Whether only imports and comments remain.
  package var isFileEmptied = false

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
