import FirstlightModel
import Inspection
import Reports
import SystemSupport

/// The output formats of a comparison.
package enum ComparisonFormat: String, CaseIterable, Sendable {
  case text, json, html, markdown

  package func text(
    _ comparison: StartupComparison, style: TextStyle = .plain
  ) throws(Failure) -> String {
    switch self {
    case .text: comparison.document.text(style)
    case .json: try JSONForm.pretty(comparison)
    case .html: comparison.page
    case .markdown: comparison.document.markdown
    }
  }
}

extension StartupComparison {
  /// A self-contained page: no script, no network. The colours of page kinds are those of Okabe and Ito
  /// (jfly.uni-koeln.de/color), which people with any colour vision can distinguish. The yellow is darker here,
  /// to be visible on white.
  package var page: String {
    document.page(
      title: "Start-up comparison", style: ResourceText.of(PackageResources.comparison_css))
  }

  var document: Document {
    let sentences = ComparisonSentences(comparison: self)
    return Document([
      .title(sentences.title), sentences.warning.map { .warning($0) },
      .facts([("A", ComparisonSentences.side(a)), ("B", ComparisonSentences.side(b))]),
      .lines(sentences.conclusions()), .table(table("A", "B")), maps.map { .figure($0) },
      sections.map { .table($0) }, .facts(sentences.conditions),
    ])
  }

  /// One row for each metric.
  ///
  /// - Parameters:
  ///   - isBrief: whether to show medians alone.
  package func table(_ before: String, _ after: String, isBrief: Bool = false) -> Document.Table {
    let all: [(isBrief: Bool, column: Document.Table.Column)] = [
      (true, .text("Metric")), (true, .number("\(before) median")),
      (false, .number("\(before) IQR", drop: 2)), (true, .number("\(after) median")),
      (false, .number("\(after) IQR", drop: 2)), (true, .number("Change")),
      (true, .number("p", drop: 1)), (false, .number("Effect", drop: 3)),
      (true, .text("\(after) is")),
    ]
    let shown = all.indices.filter { !isBrief || all[$0].isBrief }
    return Document.Table(
      nil, shown.map { all[$0].column },
      rows.map { row in
        let cells = row.cells
        return shown.map { cells[$0] }
      },
      colours: rows.map { row in
        switch row.verdict {
        case .lower: .good
        case .higher: .bad
        case .uneven, .unresolved: .doubtful
        case .same: nil
        }
      }, legend: isBrief ? [] : ComparisonSentences.legend)
  }

  /// A row for each section with a touched page, then a sum; nil without maps.
  private var sections: Document.Table? {
    guard let a = a.map, let b = b.map else { return nil }
    let (first, second) = (a.countsBySection, b.countsBySection)
    func counts(_ pages: Int?, _ touched: Int?) -> [String] {
      [CountText.number(pages ?? 0), CountText.number(touched ?? 0)]
    }
    var rows = sectionNames.map { name in
      [name.isEmpty ? "headers and padding" : name]
        + counts(first[name]?.pages, first[name]?.touched)
        + counts(second[name]?.pages, second[name]?.touched)
    }
    rows.append(
      ["not loaded (debug information, symbols)"]
        + [a, b].flatMap { counts($0.rest.pages, $0.rest.touched) })
    rows.append(
      ["total"] + [a, b].flatMap { counts($0.pages.count + $0.rest.pages, $0.touched) })
    return Document.Table(
      "4 KiB pages of the files, by section",
      [
        .text("Section"), .number("A pages"), .number("A touched"), .number("B pages"),
        .number("B touched"),
      ], rows, hasSum: true)
  }

  private var maps: HTML? {
    guard let a = a.map, let b = b.map else { return nil }
    return """
      <h2>Pages of the files</h2>
      <p>Each cell is a page of 4 KiB, in file order, \(PageMapSVG.columns) to a row. Strong \
      colour: touched at start-up. Pale: not touched. The colour shows the kind of content.</p>
      <ul class="legend">
      \(Self.kinds(a, b))</ul>
      <div class="maps">
      \(Self.figure("A", a))\(Self.figure("B", b))</div>

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
    let (first, second) = (a.counts(by: a.kind), b.counts(by: b.kind))
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
}

extension StartupComparison.Row {
  /// In the columns of the whole table.
  fileprivate var cells: [String] {
    func number(_ value: Double) -> String { NumberText.decimal(value, digits: metric.digits) }
    return [
      "\(metric.title) (\(metric.unit))", number(a.median), number(a.interquartileRange),
      number(b.median), number(b.interquartileRange), NumberText.percent(change),
      NumberText.probability(p), NumberText.decimal(test.effect, digits: 2),
      verdict == .same ? "not significant" : verdict.rawValue,
    ]
  }
}
