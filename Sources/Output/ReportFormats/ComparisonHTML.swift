import BinaryInspection
import StartupComparison
import TextFormatting

/// A comparison of two start-ups as one page that needs nothing else: no script, no network.
package enum ComparisonHTML {
  package static func text(_ comparison: StartupComparison) -> String {
    let cells = ComparisonCells(comparison: comparison)
    let sides = [("A", comparison.a), ("B", comparison.b)].map {
      "<dt>\($0)</dt><dd>\(HTMLText.escaped(ComparisonCells.side($1)))</dd>\n"
    }
    return HTMLPage.text(
      title: "Start-up comparison", style: ComparisonStyle.sheet,
      body: "<h1>\(HTMLText.escaped(cells.title))</h1>\n"
        + (cells.warning.map { "<p class=\"warning\">\(HTMLText.escaped($0))</p>\n" } ?? "")
        + "<dl class=\"sides\">\n\(sides.joined())</dl>\n"
        + conclusions(cells) + metrics(cells) + maps(comparison) + sections(cells)
        + conditions(cells))
  }

  private static func conclusions(_ cells: ComparisonCells) -> String {
    "<div class=\"result\">\n"
      + cells.conclusions.map { "<p>\(HTMLText.escaped($0))</p>\n" }.joined() + "</div>\n"
  }

  private static func metrics(_ cells: ComparisonCells) -> String {
    let verdicts = cells.comparison.rows.map(\.verdict)
    return HTMLText.table(
      caption: "Measured", head: ComparisonCells.head, rows: cells.rows, leftColumns: [8],
      rowClass: { index in
        switch verdicts[index] {
        case .lower: "lower"
        case .higher: "higher"
        case .same, .uneven: "same"
        }
      }) + "<p class=\"small\">\(HTMLText.escaped(ComparisonCells.legend))</p>\n"
  }

  private static func maps(_ comparison: StartupComparison) -> String {
    guard let a = comparison.a.map, let b = comparison.b.map else { return "" }
    return "<h2>Pages of the files</h2>\n"
      + "<p>Each cell is a page of 4 KiB, in file order, \(PageMapSVG.columns) to a row. "
      + "Strong colour: touched at start-up. Pale: not touched. The colour shows the kind of "
      + "content.</p>\n"
      + legend(a, b)
      + "<div class=\"maps\">\n" + figure("A", a) + figure("B", b) + "</div>\n"
  }

  private static func figure(_ letter: String, _ map: PageMap) -> String {
    let touched = map.pages.count { $0.isTouched }
    let caption =
      "\(letter): \(CountText.number(touched)) of \(CountText.number(map.pages.count)) loaded pages "
      + "touched"
    return "<figure>\n<figcaption>\(HTMLText.escaped(caption))</figcaption>\n"
      + PageMapSVG.text(map, title: caption) + "</figure>\n"
  }

  private static func legend(_ a: PageMap, _ b: PageMap) -> String {
    let first = a.counts(by: a.kind)
    let second = b.counts(by: b.kind)
    func text(_ count: PageMap.Count?) -> String {
      "\(CountText.number(count?.touched ?? 0)) of \(CountText.number(count?.pages ?? 0))"
    }
    var html = "<ul class=\"legend\">\n"
    for kind in PageMap.Kind.allCases where first[kind] != nil || second[kind] != nil {
      let name = PageMapSVG.className(kind)
      html +=
        "<li><svg viewBox=\"0 0 20 10\" aria-hidden=\"true\">"
        + "<rect class=\"\(name) t\" width=\"10\" height=\"10\"/>"
        + "<rect class=\"\(name)\" x=\"10\" width=\"10\" height=\"10\"/></svg>"
        + "<span><b>\(HTMLText.escaped(kind.rawValue))</b> "
        + "A \(text(first[kind])), B \(text(second[kind]))</span></li>\n"
    }
    return html + "</ul>\n"
  }

  private static func sections(_ cells: ComparisonCells) -> String {
    let rows = cells.sectionRows
    guard !rows.isEmpty else { return "" }
    return HTMLText.table(
      caption: "4 KiB pages of the files, by section", head: ComparisonCells.sectionHead,
      rows: rows, rowClass: { $0 == rows.count - 1 ? "sum" : "" })
  }

  private static func conditions(_ cells: ComparisonCells) -> String {
    "<h2>Conditions</h2>\n<dl class=\"conditions\">\n"
      + cells.conditions.map {
        "<dt>\(HTMLText.escaped($0.label))</dt><dd>\(HTMLText.escaped($0.text))</dd>\n"
      }.joined() + "</dl>\n"
  }
}
