import FirstlightModel
import GRDB
import SQLiteSupport

extension ProfileWriter {
  static func writeMarks(of process: RecordedProcess, in database: Database) throws {
    guard !process.marks.isEmpty else { return }
    var rows = try RowInsertion(into: "mark", columns: 8, in: database)
    for (id, mark) in process.marks.enumerated() {
      rows.add(process.run)
      rows.add(process.id)
      rows.add(id)
      switch mark.kind {
      case .mark: rows.add("mark")
      case .span: rows.add("span")
      }
      rows.add(mark.name)
      rows.add(Int64(mark.thread))
      rows.add(Int64(clamping: mark.time))
      switch mark.kind {
      case .mark: rows.add(nil as Int64?)
      case .span(let duration): rows.add(duration.map { Int64(clamping: $0) })
      }
      try rows.insert()
    }
  }
}
