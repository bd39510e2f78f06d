import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
import SQLiteSupport

/// The sampled traces of a ledger within a transaction: for each program, those that
/// `TraceSampleRule` selects among this host's traces, within the receiver's latest limit.
struct SampleRows {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func add(_ traces: [FleetTrace], life: Int64) throws {
    var programs: Set<BuildKey> = []
    for trace in traces {
      let program = trace.images[trace.program].build
      programs.insert(program)
      try database.execute(
        cachedSQL: """
          INSERT OR IGNORE INTO sample (life, build_id, recorder, family, high, low, data)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          life, program.buildID.description, program.recorder.rawValue,
          SortableHash.column(trace.family), Int64(bitPattern: trace.id.high),
          Int64(bitPattern: trace.id.low), Data(StateBatch.encode(sample: trace)),
        ])
    }
    for program in programs { try trim(program) }
  }

  /// Applies the receiver's limits, and removes the traces above them.
  func lower(_ limits: [BuildKey: UInt64]) throws {
    for (program, limit) in limits {
      try database.execute(
        cachedSQL: """
          INSERT INTO sample_limit VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET family = min(family, excluded.family)
          """,
        arguments: [
          program.buildID.description, program.recorder.rawValue, SortableHash.column(limit),
        ])
      try trim(program)
    }
  }

  private func trim(_ program: BuildKey) throws {
    let name = [program.buildID.description, program.recorder.rawValue]
    let families = try Row.fetchAll(
      try database.cachedStatement(
        sql: """
          SELECT family, count(*) FROM sample WHERE build_id = ? AND recorder = ?
          GROUP BY family ORDER BY family
          """), arguments: StatementArguments(name)
    ).map { (family: SortableHash.hash(try $0.value(0)), traces: try $0.value(1) as Int) }
    if let first = families.first, first.traces > TraceSampleRule.size {
      try database.execute(
        cachedSQL: """
          DELETE FROM sample WHERE id IN (
            SELECT id FROM sample WHERE build_id = ? AND recorder = ? AND family = ?
            -- The columns hold the bits as signed numbers.
            ORDER BY high < 0, high, low < 0, low LIMIT -1 OFFSET ?)
          """,
        arguments: StatementArguments(name) + [
          SortableHash.column(first.family), TraceSampleRule.size,
        ])
    }
    let wanted = try Int64.fetchOne(
      try database.cachedStatement(
        sql: "SELECT family FROM sample_limit WHERE build_id = ? AND recorder = ?"),
      arguments: StatementArguments(name)
    ).map(SortableHash.hash)
    let last = min(TraceSampleRule.last(of: families) ?? .max, wanted ?? .max)
    guard let greatest = families.last?.family, greatest > last else { return }
    try database.execute(
      cachedSQL: "DELETE FROM sample WHERE build_id = ? AND recorder = ? AND family > ?",
      arguments: StatementArguments(name) + [SortableHash.column(last)])
  }

  /// Forgets traces that the receiver has, if their program has no rows any more.
  func forgetClosed() throws {
    try database.execute(
      cachedSQL: """
        DELETE FROM sample WHERE acknowledged = 1 AND NOT EXISTS (
          SELECT 1 FROM state
          WHERE state.build_id = sample.build_id AND state.recorder = sample.recorder)
        """, arguments: [])
  }
}
