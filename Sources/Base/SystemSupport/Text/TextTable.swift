import FirstlightModel

/// Rows of cells with aligned columns. Cells may contain untrusted text: each stays on its line.
package struct TextTable {
  package enum Alignment: Sendable { case left, right }

  private let alignments: [Alignment]
  /// Cells of all rows in sequence; a row may lack its last columns.
  private var cells: [String] = []
  private var ends: [Int] = []
  /// Colour of the last cell, by row.
  private var colours: [Int: TextColour] = [:]

  /// - Parameter alignments: one for each column; the last column is not padded.
  package init(_ alignments: [Alignment]) {
    self.alignments = alignments
  }

  /// Number of rows.
  package var count: Int { ends.count }

  package mutating func add(_ cells: String...) {
    add(row: cells)
  }

  /// - Parameter colour: the colour of the last cell.
  package mutating func add(row cells: [String], colour: TextColour? = nil) {
    self.cells += cells.map(Escaping.terminal)
    colours[ends.count] = colour
    ends.append(self.cells.count)
  }

  /// Each row on a line after `indent`, with two blanks between columns and none at the end.
  package func text(indent: String = "") -> String {
    var text = ""
    append(to: &text, indent: indent)
    return text
  }

  /// Appends the result of `text(indent:)`.
  package func append(to text: inout String, indent: String = "") {
    let last = alignments.count - 1
    var widths = [Int](repeating: 0, count: alignments.count)
    var size = 0
    forEachRow { row in
      for (column, cell) in zip(alignments.indices, row) {
        if column < last || alignments[last] == .right {
          widths[column] = max(widths[column], Self.width(cell))
        } else {
          size += cell.utf8.count
        }
      }
    }
    size += count * (widths.reduce(indent.utf8.count, +) + 2 * last + 1)
    // At least doubles the capacity, or many small tables would each move the whole text.
    if size > text.utf8.count { text.reserveCapacity(text.utf8.count + size) }
    var number = 0
    forEachRow { row in
      let start = text.utf8.count
      let colour = colours[number]
      number += 1
      text += indent
      for (column, cell) in zip(alignments.indices, row) {
        if column > 0 { text += "  " }
        if column == last, alignments[column] == .left {
          text += cell.coloured(colour)
          continue
        }
        let padding = widths[column] - Self.width(cell)
        if alignments[column] == .right { text += String(repeating: " ", count: padding) }
        text += cell
        if alignments[column] == .left { text += String(repeating: " ", count: padding) }
      }
      while text.utf8.count > start, text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
      text += "\n"
    }
  }

  private func forEachRow(_ body: (ArraySlice<String>) -> Void) {
    var start = 0
    for end in ends {
      body(cells[start..<end])
      start = end
    }
  }

  /// Number of displayed characters. Plain text has one byte for each, and counting bytes is faster.
  private static func width(_ cell: String) -> Int {
    let isPlain = cell.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0d }
    return isPlain ? cell.utf8.count : cell.count
  }
}

/// A colour for a verdict, on terminals that show colours.
package enum TextColour: Int, Sendable {
  case bad = 31
  case good = 32
  case doubtful = 33

  /// The text between the sequences of ECMA-48 that begin and end the colour.
  package func applied(to text: String) -> String { "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }
}

extension String {
  /// The text in a colour; unchanged if the colour is nil.
  package func coloured(_ colour: TextColour?) -> String { colour?.applied(to: self) ?? self }
}

/// How text is shown: its width in characters, and whether verdicts have colours.
package struct TextStyle: Sendable {
  package var width = 100
  package var isColoured = false

  package static let plain = TextStyle()

  package init(width: Int = 100, isColoured: Bool = false) {
    (self.width, self.isColoured) = (width, isColoured)
  }
}
