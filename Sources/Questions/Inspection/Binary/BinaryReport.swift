import FirstlightModel

/// The page costs of a binary's start-up, worst first, each with advice.
///
/// Uses only the file. Only a run can show which pages a start really touches: costs that depend on
/// that are upper bounds (`Finding.Cost.upTo`).
package struct BinaryReport: Sendable {
  package var facts: BinaryFacts
  /// Problems that forbid shipping come first, then by pages; disk space alone comes last.
  package var findings: [Finding]

  /// - Parameters:
  ///   - libraries: the known uses of the needed libraries, in order.
  ///   - input: the input sections from the linker's map; nil without a map.
  ///   - conformances: nil without Swift code.
  package init(
    _ facts: BinaryFacts, libraries: [LibraryUse], input: SharedSections?,
    conformances: ConformanceFacts? = nil
  ) {
    self.facts = facts
    let found = [
      Self.instrumentation(facts), Self.relocations(facts), Self.positionIndependence(facts),
      Self.exportedSymbols(facts), Self.text(facts), Self.ownSections(facts, input),
      Self.initializers(facts), conformances.map(Self.conformances), Self.libraries(libraries),
      Self.hashStyle(facts), Self.debugInfo(facts),
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

  /// Pages of the file that contain some of these sections; a shared page counts once.
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
