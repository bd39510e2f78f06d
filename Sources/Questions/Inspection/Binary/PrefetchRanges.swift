import FirstlightModel

/// The pages of an executable to request from the kernel at its very start: those that an extra start of the
/// newly linked program touched (`Optimizer.touchedRanges`).
package struct PrefetchRanges: Sendable, Hashable {
  /// 4 KiB pages, counted from the start of the image in memory; rising, none adjacent.
  package var ranges: [Range<UInt32>]

  /// Gaps up to this many pages are read as well: one request is cheaper than two, and the
  /// read-ahead around a fault would bring in most of the gap anyway.
  static let narrowGap: UInt32 = 4

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
