import CElfutils
import SystemSupport

/// The frames that one thread found, with indices in place of texts.
struct FoundFrames: Sendable {
  struct Frame {
    /// Index of a symbol; if negative, the complement of an index into `names`, minus 1.
    var name = Frame.unnamed
    /// Index into `paths`; -1 if unknown.
    var file: Int32 = -1
    var line: UInt32 = 0
    var column: UInt32 = 0

    /// The function has no name.
    static let unnamed = Int32.min
  }

  var frames: [Frame] = []
  /// The answered addresses, with their ranges in `frames`.
  var answers: [(query: Int32, first: Int32, count: Int32)] = []
  var names = EntryNames()
  var paths = NumberedPaths()

  /// The name of a function that has no symbol.
  mutating func name(of entry: inout Dwarf_Die) -> Int32 {
    let number = names.number(Declaration.name(of: &entry))
    return number < 0 ? Frame.unnamed : ~number
  }
}
