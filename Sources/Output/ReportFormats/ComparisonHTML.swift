import BinaryInspection
import StartupReport
import TextFormatting

/// A comparison of two start-ups as one page that needs nothing else: no script, no network.
package enum ComparisonHTML {
  package static func text(_ comparison: StartupComparison) -> String {
    let cells = ComparisonCells(comparison: comparison)
    return HTMLPage.text(
      title: "Start-up comparison", style: style,
      body: template.text([
        "title": cells.title, "warning": cells.warning,
        "sides": [("A", comparison.a), ("B", comparison.b)].map {
          ["letter": $0, "text": ComparisonCells.side($1)]
        },
        "conclusions": cells.conclusions,
        "metrics": metrics(cells),
        "maps": maps(comparison),
        "sections": sections(cells),
        "conditions": cells.conditions.map { ["label": $0.label, "text": $0.text] },
      ]))
  }

  private static let template = PageTemplate(PackageResources.comparison_mustache)
  private static let mapsTemplate = PageTemplate(PackageResources.page_maps_mustache)

  /// The colours of page kinds are those of Okabe and Ito (jfly.uni-koeln.de/color), which people
  /// with any colour vision tell apart; their yellow is darker here, to be seen on white.
  private static let style = ResourceText.of(PackageResources.comparison_css)

  private static func metrics(_ cells: ComparisonCells) -> String {
    let verdicts = cells.comparison.rows.map(\.verdict)
    return HTMLTable.text(
      caption: "Measured", head: ComparisonCells.head, rows: cells.rows, leftColumns: [8],
      rowClass: { index in
        switch verdicts[index] {
        case .lower: "lower"
        case .higher: "higher"
        case .same, .uneven, .unresolved: "same"
        }
      }, note: ComparisonCells.legend)
  }

  private static func maps(_ comparison: StartupComparison) -> String? {
    guard let a = comparison.a.map, let b = comparison.b.map else { return nil }
    return mapsTemplate.text([
      "columns": PageMapSVG.columns, "kinds": kinds(a, b),
      "figures": [figure("A", a), figure("B", b)],
    ])
  }

  private static func figure(_ letter: String, _ map: PageMap) -> [String: String] {
    let touched = map.pages.count { $0.isTouched }
    let caption =
      "\(letter): \(CountText.number(touched)) of \(CountText.number(map.pages.count)) loaded pages "
      + "touched"
    return ["caption": caption, "picture": PageMapSVG.text(map, title: caption)]
  }

  /// The legend's entries.
  private static func kinds(_ a: PageMap, _ b: PageMap) -> [[String: String]] {
    let first = a.counts(by: a.kind)
    let second = b.counts(by: b.kind)
    func text(_ count: PageMap.Count?) -> String {
      "\(CountText.number(count?.touched ?? 0)) of \(CountText.number(count?.pages ?? 0))"
    }
    return PageMap.Kind.allCases.filter { first[$0] != nil || second[$0] != nil }.map { kind in
      [
        "class": PageMapSVG.className(kind), "name": kind.rawValue, "a": text(first[kind]),
        "b": text(second[kind]),
      ]
    }
  }

  private static func sections(_ cells: ComparisonCells) -> String {
    let rows = cells.sectionRows
    guard !rows.isEmpty else { return "" }
    return HTMLTable.text(
      caption: "4 KiB pages of the files, by section", head: ComparisonCells.sectionHead,
      rows: rows, rowClass: { $0 == rows.count - 1 ? "sum" : "" })
  }
}
