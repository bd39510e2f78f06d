import FirstlightModel

/// What a binary's start-up pages in, worst first, each with what to do.
///
/// Uses the file alone. Only a run can show which of its pages a start really touches: costs that depend on
/// it are upper bounds (`Finding.Cost.upTo`).
package struct BinaryReport: Sendable {
  package var facts: BinaryFacts
  /// A binary not to be shipped first, then by pages; what only costs disk space last.
  package var findings: [Finding]

  /// - Parameters:
  ///   - libraries: what is known of the libraries it needs, in their order.
  ///   - input: the input sections from the linker's map; nil without a map.
  package init(_ facts: BinaryFacts, libraries: [LibraryUse], input: SharedSections?) {
    self.facts = facts
    let found = [
      Self.instrumentation(facts), Self.relocations(facts), Self.positionIndependence(facts),
      Self.exportedSymbols(facts), Self.text(facts), Self.ownSections(facts, input),
      Self.initializers(facts), Self.libraries(libraries), Self.hashStyle(facts),
      Self.debugInfo(facts),
    ]
    findings = found.compactMap { $0 }.enumerated()
      .sorted { Self.rank($0.element, $0.offset) < Self.rank($1.element, $1.offset) }
      .map(\.element)
  }

  private static func rank(_ finding: Finding, _ place: Int) -> (Int, Int, Int) {
    let group: Int
    switch finding.cost {
    case _ where finding.topic == .instrumentation: group = 0
    case .always, .upTo: group = 1
    case .none: group = 2
    case .disk: group = 3
    }
    return (group, -finding.cost.pages, place)
  }

  /// Pages of the file that hold some of these sections; a page shared by two counts once.
  static func filePages(_ facts: BinaryFacts, _ isWanted: (BinarySection) -> Bool) -> Int {
    var pages = 0
    var next: UInt64 = 0
    let ranges = facts.sections.filter { $0.isLoaded && isWanted($0) }.map { $0.filePages() }
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let start = max(range.lowerBound, next)
      if start < range.upperBound {
        pages += Int(range.upperBound - start)
        next = range.upperBound
      }
    }
    return pages
  }
}

/// A shared library that a binary needs, and what of it the binary uses.
package struct LibraryUse: Hashable, Sendable {
  /// As `DT_NEEDED` names it.
  package var name: String
  /// Where the loader would find it on this machine; nil: not found.
  package var path: String?
  /// How many symbols the binary itself takes from it.
  package var symbols: Int

  /// Whether the binary itself takes nothing from it. Others that it needs may.
  package var isUnused: Bool { path != nil && symbols == 0 }

  package init(name: String, path: String?, symbols: Int) {
    self.name = name
    self.path = path
    self.symbols = symbols
  }
}
