import Reports
import SystemSupport

/// A file's pages as a picture: a cell for each page, in file order, row by row.
package enum PageMapSVG {
  /// The number of cells in a row.
  package static let columns = 64
  /// The side of a cell with its gap, in the picture's units.
  private static let cell = 10

  /// - Parameter title: a description of the picture for people who cannot see it.
  package static func html(_ map: PageMap, title: String) -> HTML {
    let rows = (map.pages.count + columns - 1) / columns
    let (width, height) = (columns * cell, max(1, rows) * cell)
    let rectangles = runs(map).map { run -> HTML in
      // Adjacent pages of the same look are one rectangle. A grid on top separates the cells.
      let x = run.start % columns * cell
      let y = run.start / columns * cell
      let state = run.page.isTouched ? "touched" : "not touched"
      let name = run.page.section.map { map.sections[$0].name } ?? "headers or padding"
      let pages =
        run.count == 1 ? "page \(run.start)" : "pages \(run.start)-\(run.start + run.count - 1)"
      return """
        <rect class="\(className(map.kind(run.page)))\(run.page.isTouched ? " t" : "")" x="\(x)" \
        y="\(y)" width="\(run.count * cell)" height="\(cell)" data-pages="\(run.count)">\
        <title>\(pages): \(name), \(state)</title></rect>

        """
    }
    return """
      <svg class="map" viewBox="0 0 \(width) \(height)" role="img" aria-label="\(title)">
      \(rectangles)\(grid(width: width, height: height))</svg>

      """
  }

  private struct Run {
    var start: Int
    var count: Int
    var page: PageMap.Page
  }

  /// Stretches of equal pages within a row.
  private static func runs(_ map: PageMap) -> [Run] {
    var runs: [Run] = []
    for (index, page) in map.pages.enumerated() {
      if let last = runs.last, last.page == page, index % columns != 0 {
        runs[runs.count - 1].count += 1
      } else {
        runs.append(Run(start: index, count: 1, page: page))
      }
    }
    return runs
  }

  private static func grid(width: Int, height: Int) -> HTML {
    var path = ""
    for x in stride(from: 0, through: width, by: cell) { path += "M\(x) 0V\(height)" }
    for y in stride(from: 0, through: height, by: cell) { path += "M0 \(y)H\(width)" }
    return "<path class=\"grid\" d=\"\(path)\"/>"
  }

  package static func className(_ kind: PageMap.Kind) -> String {
    switch kind {
    case .code: "k-code"
    case .readOnly: "k-read"
    case .relocations: "k-reloc"
    case .symbols: "k-symbol"
    case .written: "k-data"
    case .unwind: "k-unwind"
    case .swift: "k-swift"
    case .other: "k-other"
    }
  }
}
