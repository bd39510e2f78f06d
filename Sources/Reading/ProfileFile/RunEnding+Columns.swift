import FirstlightModel
import GRDB
import SQLiteSupport

extension RunEnding {
  /// The columns of a run's row: only the one for this kind of end is not null.
  var status: Int32? { if case .exited(let status) = self { status } else { nil } }
  var signal: Int32? { if case .signalled(let signal) = self { signal } else { nil } }
  var words: String? { if case .other(let words) = self { words } else { nil } }

  /// - Parameter outcome: the text of formats 1 to 4, which had no other columns for the end.
  fileprivate init(outcome: String) {
    func number(after start: String) -> Int32? {
      outcome.hasPrefix(start)
        ? Int32(outcome.dropFirst(start.count).prefix { $0.isNumber }) : nil
    }
    self =
      number(after: "exit status ").map { .exited($0) }
      ?? number(after: "killed by signal ").map { .signalled($0) } ?? .other(outcome)
  }
}

extension ProfileReader {
  /// The columns of a run's end, for `ending(_:at:)`, and the one for `attachment(_:at:)`.
  func endingColumns() throws -> String {
    let names = Set(try database.columns(in: "run").map(\.name))
    return (names.contains("outcome") ? "NULL, NULL, outcome" : "exit_status, signal, ending")
      + (names.contains("attachment") ? ", attachment" : ", NULL")
  }

  func attachment(_ row: Row, at index: Int) throws -> Attachment? {
    guard let name: String = try row.optionalValue(index) else { return nil }
    guard let attachment = Attachment(rawValue: name) else { throw damaged("attachment \(name)") }
    return attachment
  }

  /// - Parameter index: index of the first of the three columns.
  func ending(_ row: Row, at index: Int) throws -> RunEnding {
    if let status: Int32 = try row.optionalValue(index) { return .exited(status) }
    if let signal: Int32 = try row.optionalValue(index + 1) { return .signalled(signal) }
    let words: String = try row.value(index + 2)
    return row.hasColumn("outcome") ? RunEnding(outcome: words) : .other(words)
  }
}
