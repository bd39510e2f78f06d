/// A file of which parts go.
package struct FileChange: Hashable, Sendable {
  /// From the folder that the patch is applied in.
  package var path: String
  package var source: [UInt8]
  /// What goes: bytes of the source, sorted, apart from each other.
  package var removed: [Range<Int>]
  /// Whether the file goes as a whole.
  package var isDeleted: Bool
  package var isExecutable: Bool

  package init(
    path: String, source: [UInt8], removed: [Range<Int>], isDeleted: Bool = false,
    isExecutable: Bool = false
  ) {
    self.path = path
    self.source = source
    self.removed = isDeleted ? [0..<source.count] : removed
    self.isDeleted = isDeleted
    self.isExecutable = isExecutable
  }

  /// What is left of it.
  package var result: [UInt8] {
    var result: [UInt8] = []
    var place = 0
    for range in removed {
      result += source[place..<range.lowerBound]
      place = range.upperBound
    }
    return result + source[place...]
  }
}
