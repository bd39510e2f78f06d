import FirstlightModel
import Foundation
import GRDB
import SQLiteSupport

/// The process that marks belong to.
struct MarkOwner: Hashable {
  var run: String
  var process: String
}

extension ProfileReader {
  /// Whether the file's version has marks, returns and launches.
  var hasAccounts: Bool {
    get throws { try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 >= 2 }
  }

  /// All marks, by time.
  func readMarks() throws -> [MarkOwner: [ProgramMark]] {
    guard try hasAccounts else { return [:] }
    var marks: [MarkOwner: [ProgramMark]] = [:]
    var sums: [MarkOwner: BoundedSum] = [:]
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT run, process, name, thread, time, kind, duration
        FROM mark ORDER BY run, process, time, id
        """)
    while let row = try rows.next() {
      let owner = try MarkOwner(run: row.value(0), process: row.value(1))
      let duration: Int64? = try row.optionalValue(6)
      guard let thread = UInt32(exactly: try row.value(3) as Int64),
        let time = UInt64(exactly: try row.value(4) as Int64),
        let kind = Self.markKind(try row.value(5), duration),
        sums[owner, default: BoundedSum()].add(UInt64(duration ?? 0))
      else { throw damaged("mark of process \(owner.process)") }
      marks[owner, default: []].append(
        try ProgramMark(name: row.value(2), thread: thread, time: time, kind: kind))
    }
    return marks
  }

  private static func markKind(_ name: String, _ duration: Int64?) -> ProgramMark.Kind? {
    switch (name, duration) {
    case ("mark", nil): .mark
    case ("span", nil): .span(duration: nil)
    case ("span", let duration?) where duration >= 0: .span(duration: UInt64(duration))
    default: nil
    }
  }

  /// Fills in how the process's first calls went, and its start-up.
  func readAccounts(of process: inout RecordedProcess, returns: Data?, launch: String?) throws {
    if let returns {
      let count = process.calls.count
      guard let decoded = returns.withUnsafeBytes({ ReturnsBlob.decode($0, count: count) }) else {
        throw damaged("returns of process \(process.id)")
      }
      process.returns = decoded
    }
    if let launch {
      guard let decoded = LaunchText.decode(launch) else {
        throw damaged("launch of process \(process.id)")
      }
      process.launch = decoded
    }
  }
}
