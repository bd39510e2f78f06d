import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
import SQLiteSupport

extension IntakeLedger {
  /// Records the outcome of sent rows, for the versions that were sent.
  ///
  /// Refused rows are removed, since the receiver will accept no later version. Counts that come too late for their
  /// day move to the first open day, since their recordings are gone. Rows of closed days are removed once the
  /// receiver has them. If a row's day has not begun at the receiver, one of the clocks is wrong: the counts that the
  /// receiver lacks move to the undated row. Rows without room wait for their next turn.
  /// - Parameter today: the day of this host's clock.
  /// - Returns: the lost sums.
  @discardableResult
  package func settle(
    _ outcome: SendingOutcome, on today: FleetDay
  ) throws(Failure) -> [LostSums] {
    try write { database in
      let now = try uptime(notedIn: database)
      for row in outcome.taken { try acknowledge(row, on: today, at: now, in: database) }
      for row in outcome.crowded { try postpone(row, on: today, at: now, in: database) }
      let rows = StateRows(self, database, uptime: now)
      let lost =
        try outcome.refused.compactMap { try remove($0, reason: $1, in: database) }
        + outcome.late.compactMap { try rows.move($0.id, to: outcome.firstOpenDay) }
        + outcome.removed.compactMap { try rows.move($0.id, to: $0.key.day) }
        + outcome.early.compactMap { try rows.move($0.id, to: .undated, keepsRest: true) }
      for sample in outcome.samples {
        try database.execute(
          cachedSQL: "UPDATE sample SET acknowledged = 1 WHERE id = ?", arguments: [sample.id])
      }
      try SampleRows(database).lower(outcome.sampleLimits)
      try database.execute(
        cachedSQL: """
          DELETE FROM state WHERE day < ? AND day <> ? AND version <= max(acknowledged, parked)
          """, arguments: [outcome.firstOpenDay.number, FleetDay.undated.number])
      let hasGone = !(outcome.refused.isEmpty && outcome.late.isEmpty && outcome.removed.isEmpty)
      if database.changesCount > 0 || hasGone {
        try SampleRows(database).forgetClosed()
      }
      return lost
    }
  }

  /// Parks a row that the receiver could not read, until it changes or versions are compared.
  package func park(_ row: WaitingRow, on today: FleetDay) throws(Failure) {
    try write { database in
      try postpone(row, on: today, at: try uptime(notedIn: database), in: database)
      try database.execute(
        cachedSQL: "UPDATE state SET parked = ? WHERE id = ?",
        arguments: [Int64(row.version.changes), row.id])
    }
  }

  /// Parks a sampled trace that the receiver could not read, until versions are compared.
  package func park(_ sample: WaitingSample) throws(Failure) {
    try write {
      try $0.execute(
        cachedSQL: "UPDATE sample SET acknowledged = -1 WHERE id = ?", arguments: [sample.id])
    }
  }

  private func acknowledge(
    _ row: WaitingRow, on today: FleetDay, at now: Double, in database: Database
  ) throws {
    try database.execute(
      cachedSQL: """
        UPDATE state SET acknowledged = ?1, acknowledged_mark = ?2, acknowledged_runs = ?3,
          sent = ?4, sent_day = ?5, changed = ?4
        WHERE id = ?6 AND acknowledged < ?1
        """,
      arguments: [
        Int64(row.version.changes), row.version.mark, row.runs, now, today.number, row.id,
      ])
    guard database.changesCount > 0 else { return }
    try database.execute(
      cachedSQL: """
        UPDATE state_data SET base = iif(
          (SELECT version FROM state WHERE state.id = state_data.id) > ?, ?, NULL)
        WHERE id = ?
        """,
      arguments: [Int64(row.version.changes), Data(row.bytes), row.id])
  }

  /// Postpones the row to its next turn, even if it has new counts.
  private func postpone(
    _ row: WaitingRow, on today: FleetDay, at now: Double, in database: Database
  ) throws {
    try database.execute(
      cachedSQL: "UPDATE state SET urgent = 0, sent = ?, sent_day = ? WHERE id = ?",
      arguments: [now, today.number, row.id])
  }

  private func remove(
    _ row: WaitingRow, reason: String, in database: Database
  ) throws -> LostSums? {
    let runs = try Int.fetchOne(
      database, sql: "DELETE FROM state WHERE id = ? RETURNING runs - acknowledged_runs",
      arguments: [row.id])
    return runs.map {
      LostSums(build: row.key.build, day: row.key.day, runs: $0, reason: reason)
    }
  }

  package func sampleLimits() throws(Failure) -> [BuildKey: UInt64] {
    try read { database in
      var limits: [BuildKey: UInt64] = [:]
      let rows = try Row.fetchCursor(
        database, sql: "SELECT build_id, recorder, family FROM sample_limit")
      while let row = try rows.next() {
        guard let key = Self.key(try row.value(0), try row.value(1)) else { continue }
        limits[key] = SortableHash.hash(try row.value(2))
      }
      return limits
    }
  }

  /// For each program, the number of traces of each family in the host's sample, sorted by family.
  func sampledFamilies() throws(Failure) -> [BuildKey: [(family: UInt64, traces: Int)]] {
    try read { database in
      var families: [BuildKey: [(family: UInt64, traces: Int)]] = [:]
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT build_id, recorder, family, count(*) FROM sample
          GROUP BY build_id, recorder, family ORDER BY build_id, recorder, family
          """)
      while let row = try rows.next() {
        guard let program = Self.key(try row.value(0), try row.value(1)) else { continue }
        families[program, default: []].append(
          (SortableHash.hash(try row.value(2)), try row.value(3)))
      }
      return families
    }
  }
}
