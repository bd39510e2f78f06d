import SystemSupport

/// A report for people: a sequence of blocks, rendered as text, Markdown or HTML.
package struct Document {
  package enum Block {
    case title(String, TextColour? = nil)
    case warning(String)
    /// One sentence a line.
    case lines([String])
    /// Lines after a blank one.
    case paragraph([String])
    case facts([(label: String, text: String)])
    case table(Table)
    /// Only pages show it.
    case figure(HTML)
  }

  package var blocks: [Block]

  package init(_ blocks: [Block?]) { self.blocks = blocks.compactMap(\.self) }

  /// The lines with advice and its price, below the subject of the advice.
  package static func advice(_ advice: String, price: String) -> [String] {
    (advice.isEmpty ? [] : ["  -> \(advice)"]) + (price.isEmpty ? [] : ["     price: \(price)"])
  }

  /// Rows of cells. Cells are text, numbers or code.
  package struct Table {
    package enum Kind { case text, number, code }

    package struct Column {
      var head: String
      var kind: Kind
      /// Text that is too wide loses the columns with the highest number first; 0: never.
      var drop: Int
      /// Whether the column is left out if no row has anything in it but zeros.
      var isOptional: Bool
      /// Whether text that is too wide shows the cells of this column, one of the last, on lines of their own.
      var isFolded = false

      package static func text(
        _ head: String, drop: Int = 0, optional: Bool = false, folded: Bool = false
      ) -> Self {
        Self(head: head, kind: .text, drop: drop, isOptional: optional, isFolded: folded)
      }

      package static func number(_ head: String, drop: Int = 0, optional: Bool = false) -> Self {
        Self(head: head, kind: .number, drop: drop, isOptional: optional)
      }

      package static func code(
        _ head: String, drop: Int = 0, optional: Bool = false, folded: Bool = false
      ) -> Self {
        Self(head: head, kind: .code, drop: drop, isOptional: optional, isFolded: folded)
      }
    }

    package var caption: String?
    package var columns: [Column]
    package var rows: [[String]]
    /// Colours of the last cells, by row.
    package var colours: [TextColour?]
    package var notes: [String]
    /// Explanations of columns, by the end of their heads.
    package var legend: [(head: String, text: String)]
    /// Whether the last row is a sum.
    package var hasSum: Bool

    /// - Parameters:
    ///   - colours: empty: none.
    ///   - most: rows to show; 0: all.
    ///   - rest: the note on the number of other rows.
    package init(
      _ caption: String? = nil, _ columns: [Column], _ rows: [[String]],
      colours: [TextColour?] = [], notes: [String] = [],
      legend: [(head: String, text: String)] = [], hasSum: Bool = false, most: Int = 0,
      rest: (Int) -> String = { "and \(CountText.number($0)) more" }
    ) {
      let shown = most == 0 ? rows[...] : rows.prefix(most)
      let kept = columns.indices.filter { index in
        !columns[index].isOptional
          || shown.contains { !["", "-", "0", "0.0%", "0 B"].contains($0[index]) }
      }
      self.caption = caption
      self.columns = kept.map { columns[$0] }
      self.rows = shown.map { row in kept.map { row[$0] } }
      self.colours = colours
      self.notes = (shown.count < rows.count ? [rest(rows.count - shown.count)] : []) + notes
      self.legend = legend
      self.hasSum = hasSum
    }

    /// The notes, and the explanations of the shown columns.
    package func notes(on shown: [Column]) -> [String] {
      let explained = legend.filter { entry in shown.contains { $0.head.ends(with: entry.head) } }
        .map { "\($0.head): \($0.text)" }
      return notes + (explained.isEmpty ? [] : [explained.joined(separator: " ")])
    }
  }
}
