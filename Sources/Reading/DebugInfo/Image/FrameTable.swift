/// What is at each of many addresses: frames, with each text once.
public struct FrameTable: Sendable {
  /// One function at an address, by indices.
  public struct Entry: Hashable, Sendable {
    /// Index into `names`; -1 if nothing names the function.
    public var name: Int32
    /// Index into `files`; -1 if the place is unknown.
    public var file: Int32
    public var line: UInt32
    public var column: UInt32
  }

  /// Linker names.
  public internal(set) var names: [String] = []
  /// Paths.
  public internal(set) var files: [String] = []
  var entries: [Entry] = []
  /// For each address where its entries start in `entries`; one more at the end.
  var starts: [Int32] = [0]

  /// Number of addresses.
  public var count: Int { starts.count - 1 }

  /// The frames at the address that was asked for as number `index`, innermost first; never empty.
  public func entries(at index: Int) -> ArraySlice<Entry> {
    entries[Int(starts[index])..<Int(starts[index + 1])]
  }

  /// The same as values that stand alone.
  public func frames(at index: Int) -> [Frame] {
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
