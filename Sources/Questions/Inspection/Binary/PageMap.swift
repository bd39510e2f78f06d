import FirstlightModel

/// The 4 KiB pages of a file that a start-up touched.
package struct PageMap: Sendable {
  /// The kind of a page's contents, shown by colour.
  package enum Kind: String, CaseIterable, Sendable {
    case code
    case readOnly = "read-only data"
    case relocations
    case symbols = "dynamic symbols"
    case written = "writable data"
    case unwind = "unwind tables"
    case swift = "Swift metadata"
    case other = "headers and other"

    package init(_ section: BinarySection) {
      let name = section.name
      if section.isExecutable {
        self = .code
      } else if name.begins(with: ".rel") {
        self = .relocations
      } else if [".dynsym", ".dynstr", ".hash", ".gnu.hash"].contains(name)
        || name.begins(with: ".gnu.version")
      {
        self = .symbols
      } else if name.begins(with: ".eh_frame") || name == ".gcc_except_table" {
        self = .unwind
      } else if name.begins(with: "swift5_") {
        self = .swift
      } else if section.isWritable {
        self = .written
      } else if name.begins(with: ".note") || name == ".interp" {
        self = .other
      } else {
        self = .readOnly
      }
    }
  }

  /// A page belongs to the section with most of its bytes, so that sums agree.
  package struct Page: Hashable, Sendable {
    /// Index into `sections`; nil for headers, or contents that are not loaded.
    package var section: Int?
    package var isTouched: Bool
  }

  /// Whether only touched pages count; otherwise also those that the kernel mapped around them (64 KiB).
  package var isExact: Bool
  /// The sections that are loaded from the file.
  package var sections: [BinarySection]
  /// Pages up to the last one with loaded contents.
  package var pages: [Page]
  /// Number of later pages (debug information, symbol table), and of touched ones among them.
  package var rest: (pages: Int, touched: Int)

  /// - Parameter touched: whether each page of the file was touched.
  package init(_ facts: BinaryFacts, touched: [Bool], isExact: Bool) {
    self.isExact = isExact
    sections = facts.sections.filter { $0.isLoaded && $0.isInFile && $0.size > 0 }
    let owners = Self.owners(sections, count: touched.count)
    let end = (owners.lastIndex { $0 != nil } ?? -1) + 1
    pages = (0..<end).map { Page(section: owners[$0], isTouched: touched[$0]) }
    rest = (touched.count - end, touched[end...].count { $0 })
  }

  private static func owners(_ sections: [BinarySection], count: Int) -> [Int?] {
    var owners = [Int?](repeating: nil, count: count)
    var bytes = [UInt64](repeating: 0, count: count)
    for (index, section) in sections.enumerated() {
      for page in section.filePages() where page < UInt64(count) {
        let start = max(section.offset, page * PageSize.reported)
        let share = min(section.offset &+ section.size, (page + 1) * PageSize.reported) - start
        if share > bytes[Int(page)] {
          bytes[Int(page)] = share
          owners[Int(page)] = index
        }
      }
    }
    return owners
  }

  package func kind(_ page: Page) -> Kind { page.section.map { Kind(sections[$0]) } ?? .other }

  /// Total number of touched pages.
  package var touched: Int { pages.count { $0.isTouched } + rest.touched }

  package struct Count: Hashable, Sendable {
    package var pages = 0
    package var touched = 0
  }

  package func counts<Key: Hashable>(by key: (Page) -> Key) -> [Key: Count] {
    var counts: [Key: Count] = [:]
    for page in pages {
      counts[key(page), default: Count()].pages += 1
      if page.isTouched { counts[key(page)]!.touched += 1 }
    }
    return counts
  }

  /// By section name; headers and padding have the empty name.
  package var countsBySection: [TextBytes: Count] {
    counts { page in page.section.map { TextBytes(sections[$0].name) } ?? "" }
  }
}
