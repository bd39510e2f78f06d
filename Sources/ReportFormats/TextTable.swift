/// Rows of cells with columns that line up.
public struct TextTable {
  public enum Alignment: Sendable { case left, right }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// - Parameter alignments: one for each column; the last column is not padded.
  public init(_ alignments: [Alignment]) {
    self.alignments = alignments
  }

  /// Number of rows.
  public var count: Int { rows.count }

  public mutating func add(_ cells: String...) {
    rows.append(cells)
  }

  public mutating func add(row cells: [String]) {
    rows.append(cells)
  }

  /// Each row on a line, its columns two blanks apart, behind `indent`; nothing blank at its end.
  public func text(indent: String = "") -> String {
    let last = alignments.count - 1
    var widths = [Int](repeating: 0, count: alignments.count)
    for row in rows {
      for (column, cell) in row.enumerated() where column < last || alignments[last] == .right {
        widths[column] = max(widths[column], cell.count)
      }
    }
    var text = ""
    for row in rows {
      var line = indent
      for (column, cell) in row.enumerated() {
        if column > 0 { line += "  " }
        switch alignments[column] {
        case .left where column == last: line += cell
        case .left: line += cell + String(repeating: " ", count: widths[column] - cell.count)
        case .right: line += String(repeating: " ", count: widths[column] - cell.count) + cell
        }
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
