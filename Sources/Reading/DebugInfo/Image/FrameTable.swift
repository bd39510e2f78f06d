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

extension FrameTable {
  /// Joins what threads found for addresses with these symbols; -1 for an address without symbol.
  init(_ found: [FoundFrames], symbols: FunctionSymbols, of addresses: [Int32]) {
    var places = [(part: Int32, first: Int32, count: Int32)](
      repeating: (-1, 0, 0), count: addresses.count)
    for (part, found) in found.enumerated() {
      for answer in found.answers {
        places[Int(answer.query)] = (Int32(part), answer.first, answer.count)
      }
    }
    var texts = SweepTexts(symbols, found.map { ($0.names, $0.paths.paths) })
    entries.reserveCapacity(max(addresses.count, found.reduce(0) { $0 + $1.frames.count }))
    starts.reserveCapacity(addresses.count + 1)
    for (query, place) in places.enumerated() {
      if place.part < 0 {
        let name = texts.symbol(addresses[query])
        entries.append(Entry(name: name, file: -1, line: 0, column: 0))
      } else {
        let part = Int(place.part)
        for frame in found[part].frames[Int(place.first)..<Int(place.first + place.count)] {
          let file = texts.path(part, frame.file)
          entries.append(
            Entry(
              name: frame.name >= 0
                ? texts.symbol(frame.name)
                : frame.name == FoundFrames.Frame.unnamed ? -1 : texts.name(part, ~frame.name),
              file: file, line: file < 0 ? 0 : frame.line, column: file < 0 ? 0 : frame.column))
        }
      }
      starts.append(Int32(entries.count))
    }
    names = texts.names
    files = texts.files
  }
}
