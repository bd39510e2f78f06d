import FirstlightModel

/// Which pages of an executable to ask the kernel for at its very start: those that a start was seen
/// to touch.
package struct PrefetchRanges: Sendable, Hashable {
  /// Pages of 4 KiB, counted from the start of the image in memory; rising, none adjacent.
  package var ranges: [Range<UInt32>]

  /// Gaps up to so many pages are read as well: one request is cheaper than two, and the gap's pages
  /// would mostly be brought in by what is read around a fault.
  package static let narrowGap: UInt32 = 4

  /// Pages asked for.
  package var pageCount: Int { ranges.reduce(0) { $0 + $1.count } }

  /// - Parameters:
  ///   - touched: one for each 4 KiB page of the file.
  ///   - sections: those of the file.
  ///   - capacity: how many ranges there may be; gaps are closed, narrowest first, until they fit.
  package init(touched: [Bool], sections: [BinarySection], capacity: Int) {
    let mapped = sections.filter { $0.isLoaded && $0.isInFile && $0.size > 0 }
    // The first segment maps the file from its start, headers first.
    let first = mapped.min { $0.offset < $1.offset }
    guard let first, first.address >= first.offset, capacity > 0 else {
      ranges = []
      return
    }
    let base = first.address - first.offset
    // A page of the file that holds the end of one segment and the start of the next is mapped twice.
    var pages = Set<UInt32>()
    for section in mapped where section.address >= base {
      // Address and offset of a section are alike within a page.
      let start = (section.address - base) / PageSize.reported
      for (index, page) in section.filePages().enumerated()
      where page < touched.count && touched[Int(page)] {
        pages.insert(UInt32(truncatingIfNeeded: start) + UInt32(index))
      }
    }
    ranges = Self.joined(pages.sorted().map { $0..<$0 + 1 }, capacity: capacity)
  }

  private static func joined(_ pages: [Range<UInt32>], capacity: Int) -> [Range<UInt32>] {
    let gaps = zip(pages, pages.dropFirst()).map { $1.lowerBound - $0.upperBound }
    // As many of the widest gaps stay open as there is room for.
    var limit = narrowGap
    let wide = gaps.filter { $0 > limit }.sorted(by: >)
    if wide.count >= capacity { limit = wide[capacity - 1] }
    var ranges: [Range<UInt32>] = []
    for page in pages {
      if let last = ranges.last, page.lowerBound - last.upperBound <= limit {
        ranges[ranges.count - 1] = last.lowerBound..<page.upperBound
      } else {
        ranges.append(page)
      }
    }
    return ranges
  }
}

/// Code that the linker got in pieces of several functions, so that no order can part them.
package struct SharedSections: Sendable {
  package struct Share: Hashable, Sendable {
    /// The object file or archive.
    package var file: String
    package var functions: Int
    package var bytes: UInt64

    package init(file: String, functions: Int = 0, bytes: UInt64 = 0) {
      self.file = file
      self.functions = functions
      self.bytes = bytes
    }
  }

  /// Input sections with several functions.
  package var sections = 0
  package var functions = 0
  package var bytes: UInt64 = 0
  /// Most bytes first.
  package var files: [Share] = []

  /// - Parameters:
  ///   - input: as the linker's map has them.
  ///   - functionStarts: addresses at which functions begin, rising.
  package init(_ input: [InputSection], functionStarts: [UInt64], code: [BinarySection]) {
    var shares: [String: Share] = [:]
    for section in input where section.name.hasPrefix(".text") {
      let range = section.addresses
      guard code.contains(where: { Self.holds($0, range.lowerBound) }) else { continue }
      let count =
        functionStarts.partitioningIndex { $0 >= range.upperBound }
        - functionStarts.partitioningIndex { $0 >= range.lowerBound }
      guard count > 1 else { continue }
      sections += 1
      functions += count
      let size = range.upperBound - range.lowerBound
      bytes += size
      let file = Self.container(section.file)
      shares[file, default: Share(file: file)].functions += count
      shares[file]!.bytes += size
    }
    files = shares.values.sorted { ($1.bytes, $0.file) < ($0.bytes, $1.file) }
  }

  /// `libx.a(member.o)` is `libx.a`.
  private static func container(_ file: String) -> String {
    guard file.hasSuffix(")"), let bracket = file.lastIndex(of: "(") else { return file }
    return String(file[..<bracket])
  }

  private static func holds(_ section: BinarySection, _ address: UInt64) -> Bool {
    section.isExecutable && address >= section.address && address - section.address < section.size
  }
}
