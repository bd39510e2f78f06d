import FirstlightModel

/// The pages of an executable to request from the kernel at its very start: those that an extra start of the
/// newly linked program touched (`Optimizer.touchedRanges`).
package struct PrefetchRanges: Sendable, Hashable {
  /// 4 KiB pages, counted from the start of the image in memory; rising, none adjacent.
  package var ranges: [Range<UInt32>]

  /// Gaps up to this many pages are read as well: one request is cheaper than two, and the
  /// read-ahead around a fault would bring in most of the gap anyway.
  package static let narrowGap: UInt32 = 4

  /// Number of requested pages.
  package var pageCount: Int { ranges.reduce(0) { $0 + $1.count } }

  /// - Parameters:
  ///   - touched: whether each 4 KiB page of the file was touched.
  ///   - sections: the sections of the file.
  ///   - capacity: maximum number of ranges; gaps are closed, narrowest first, until the ranges fit.
  package init(touched: [Bool], sections: [BinarySection], capacity: Int) {
    let mapped = sections.filter { $0.isLoaded && $0.isInFile && $0.size > 0 }
    // The first segment maps the start of the file, beginning with the headers.
    let first = mapped.min { $0.offset < $1.offset }
    guard let first, first.address >= first.offset, capacity > 0 else {
      ranges = []
      return
    }
    let base = first.address - first.offset
    // A page with the end of one segment and the start of the next is mapped twice.
    var pages = Set<UInt32>()
    for section in mapped where section.address >= base {
      // A section's address and offset are equal modulo the page size.
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
    // Keeps as many of the widest gaps as the capacity allows.
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

/// Code that the linker got in input sections of several functions, which no order can separate.
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
  ///   - input: the input sections from the linker's map.
  ///   - functionStarts: start addresses of functions, rising.
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

  /// `libx.a` for `libx.a(member.o)`.
  private static func container(_ file: String) -> String {
    guard file.hasSuffix(")"), let bracket = file.lastIndex(of: "(") else { return file }
    return String(file[..<bracket])
  }

  private static func holds(_ section: BinarySection, _ address: UInt64) -> Bool {
    section.isExecutable && address >= section.address && address - section.address < section.size
  }
}
