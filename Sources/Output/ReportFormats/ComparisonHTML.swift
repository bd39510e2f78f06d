import BinaryInspection
import StartupReport
import SystemSupport

/// A comparison of two start-ups as a self-contained page: no script, no network.
package enum ComparisonHTML {
  package static func text(_ comparison: StartupComparison) -> String {
    let cells = ComparisonCells(comparison: comparison)
    return HTMLPage.text(
      title: "Start-up comparison", style: style,
      body: """
        <h1>\(cells.title)</h1>
        \(cells.warning.map { "<p class=\"warning\">\($0)</p>\n" })<dl class="sides">
        <dt>A</dt><dd>\(ComparisonCells.side(comparison.a))</dd>
        <dt>B</dt><dd>\(ComparisonCells.side(comparison.b))</dd>
        </dl>
        <div class="result">
        \(cells.conclusions.map { "<p>\($0)</p>\n" })</div>
        \(metrics(cells))\(maps(comparison))\(sections(cells))<h2>Conditions</h2>
        <dl class="conditions">
        \(cells.conditions.map { "<dt>\($0.label)</dt><dd>\($0.text)</dd>\n" })</dl>

        """)
  }

  /// The colours of page kinds are those of Okabe and Ito (jfly.uni-koeln.de/color), which people with any
  /// colour vision can distinguish. The yellow is darker here, to be visible on white.
  private static let style = ResourceText.of(PackageResources.comparison_css)

  private static func metrics(_ cells: ComparisonCells) -> HTML {
    let verdicts = cells.comparison.rows.map(\.verdict)
    return HTMLTable.html(
      caption: "Measured", head: ComparisonCells.head, rows: cells.rows, leftColumns: [8],
      rowClass: { index in
        switch verdicts[index] {
        case .lower: "lower"
        case .higher: "higher"
        case .same, .uneven, .unresolved: "same"
        }
      }, note: ComparisonCells.legend)
  }

  private static func maps(_ comparison: StartupComparison) -> HTML? {
    guard let a = comparison.a.map, let b = comparison.b.map else { return nil }
    return """
      <h2>Pages of the files</h2>
      <p>Each cell is a page of 4 KiB, in file order, \(PageMapSVG.columns) to a row. Strong \
      colour: touched at start-up. Pale: not touched. The colour shows the kind of content.</p>
      <ul class="legend">
      \(kinds(a, b))</ul>
      <div class="maps">
      \(figure("A", a))\(figure("B", b))</div>

      """
  }

  private static func figure(_ letter: String, _ map: PageMap) -> HTML {
    let touched = map.pages.count { $0.isTouched }
    let caption =
      "\(letter): \(CountText.number(touched)) of \(CountText.number(map.pages.count)) loaded pages "
      + "touched"
    return """
      <figure>
      <figcaption>\(caption)</figcaption>
      \(PageMapSVG.html(map, title: caption))</figure>

      """
  }

  /// The legend's entries.
  private static func kinds(_ a: PageMap, _ b: PageMap) -> [HTML] {
    let first = a.counts(by: a.kind)
    let second = b.counts(by: b.kind)
    func text(_ count: PageMap.Count?) -> String {
      "\(CountText.number(count?.touched ?? 0)) of \(CountText.number(count?.pages ?? 0))"
    }
    return PageMap.Kind.allCases.filter { first[$0] != nil || second[$0] != nil }.map { kind in
      let name = PageMapSVG.className(kind)
      return """
        <li><svg viewBox="0 0 20 10" aria-hidden="true">\
        <rect class="\(name) t" width="10" height="10"/>\
        <rect class="\(name)" x="10" width="10" height="10"/></svg>\
        <span><b>\(kind.rawValue)</b> A \(text(first[kind])), B \(text(second[kind]))</span></li>

        """
    }
  }

  private static func sections(_ cells: ComparisonCells) -> HTML? {
    let rows = cells.sectionRows
    guard !rows.isEmpty else { return nil }
    return HTMLTable.html(
      caption: "4 KiB pages of the files, by section", head: ComparisonCells.sectionHead,
      rows: rows, rowClass: { $0 == rows.count - 1 ? "sum" : "" })
  }
}
