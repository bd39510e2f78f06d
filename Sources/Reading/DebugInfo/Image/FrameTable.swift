import CElfutils
import SystemSupport

/// The frames at each of many addresses, with each text stored once.
package struct FrameTable: Sendable {
  /// One function at an address, by indices.
  package struct Entry: Hashable, Sendable {
    /// Index into `names`; -1 if the function has no name.
    package var name: Int32
    /// Index into `files`; -1 if the place is unknown.
    package var file: Int32
    package var line: UInt32
    package var column: UInt32
  }

  /// Linker names.
  package internal(set) var names: [String] = []
  /// Paths.
  package internal(set) var files: [String] = []
  var entries: [Entry] = []
  /// Start of each address's entries in `entries`, and the end of the last.
  var starts: [Int32] = [0]

  /// Number of addresses.
  package var count: Int { starts.count - 1 }

  /// The frames of the address number `index`, innermost first; never empty.
  package func entries(at index: Int) -> ArraySlice<Entry> {
    entries[Int(starts[index])..<Int(starts[index + 1])]
  }

  /// The same frames as independent values.
  package func frames(at index: Int) -> [Frame] {
    entries(at: index).map { entry in
      Frame(
        function: entry.name < 0 ? "" : names[Int(entry.name)],
        location: entry.file < 0
          ? nil
          : SourceLocation(
            file: files[Int(entry.file)], line: Int(entry.line), column: Int(entry.column)))
    }
  }
}
