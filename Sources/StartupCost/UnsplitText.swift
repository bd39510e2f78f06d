import FirstlightModel

/// Code that the linker got in pieces of several functions, so that no order can part them.
public struct UnsplitText: Sendable {
  public struct Share: Hashable, Sendable {
    /// The object file or archive.
    public var file: String
    public var functions: Int
    public var bytes: UInt64

    public init(file: String, functions: Int = 0, bytes: UInt64 = 0) {
      self.file = file
      self.functions = functions
      self.bytes = bytes
    }
  }

  /// Input sections with several functions.
  public var sections = 0
  public var functions = 0
  public var bytes: UInt64 = 0
  /// Most bytes first.
  public var files: [Share] = []

  /// - Parameter functionStarts: addresses at which functions begin, rising.
  public init(_ map: LinkMap, functionStarts: [UInt64], code: [BinarySection]) {
    var shares: [String: Share] = [:]
    for section in map.sections where section.name.hasPrefix(".text") && section.size > 0 {
      guard code.contains(where: { Self.holds($0, section.address) }) else { continue }
      let (end, overflow) = section.address.addingReportingOverflow(section.size)
      guard !overflow else { continue }
      let count = Self.place(end, functionStarts) - Self.place(section.address, functionStarts)
      guard count > 1 else { continue }
      sections += 1
      functions += count
      bytes += section.size
      shares[section.file, default: Share(file: section.file)].functions += count
      shares[section.file]!.bytes += section.size
    }
    files = shares.values.sorted { ($1.bytes, $0.file) < ($0.bytes, $1.file) }
  }

  private static func holds(_ section: BinarySection, _ address: UInt64) -> Bool {
    section.isExecutable && address >= section.address && address - section.address < section.size
  }

  /// How many of `starts` lie before `address`.
  private static func place(_ address: UInt64, _ starts: [UInt64]) -> Int {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] < address { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
