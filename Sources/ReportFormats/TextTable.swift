/// Rows of cells with columns that line up.
public struct TextTable {
  public enum Alignment: Sendable { case left, right }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// - Parameter alignments: one for each column; the last column is not padded.
  public init(_ alignments: [Alignment]) {
    self.alignments = alignments
  }

  public mutating func add(_ cells: String...) {
    rows.append(cells)
  }

  /// Each row on a line, its columns two blanks apart, behind `indent`.
  public func text(indent: String = "") -> String {
    var widths = [Int](repeating: 0, count: alignments.count)
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    var text = ""
    for row in rows {
      var line = indent
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        if column > 0 { line += "  " }
        switch alignments[column] {
        case .left: line += column == row.count - 1 ? cell : cell + padding
        case .right: line += padding + cell
        }
      }
      text += line + "\n"
    }
    return text
  }
}
