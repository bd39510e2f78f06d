import FirstlightModel

/// A line of comma-separated values (RFC 4180).
enum CSVRow {
  static func text(_ cells: [String]) -> String {
    cells.map(Escaping.csv).joined(separator: ",") + "\r\n"
  }
}
