import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// The rows of a ledger within a transaction.
struct StateRows {
  private let ledger: IntakeLedger
  private let database: Database
  private let uptime: Double

  init(_ ledger: IntakeLedger, _ database: Database, uptime: Double) {
    self.ledger = ledger
    self.database = database
    self.uptime = uptime
  }

  /// Adds to the row of a key, or creates it.
  /// - Parameter life: nil: the current one.
  /// - Returns: the sums that could not be counted; nil if all could.
  func add(_ addition: SeriesState, to life: Int64? = nil) throws -> LostSums? {
    let life = try life ?? ledger.life.id(in: database)
    let row = try Row.fetchOne(
      try database.cachedStatement(
        sql: """
          SELECT id, version, acknowledged, data FROM state JOIN state_data USING (id)
          WHERE life = ? AND build_id = ? AND recorder = ? AND guards = ? AND day = ? AND labels = ?
          """), arguments: Self.arguments(life, addition.key))
    // Moved counts keep their number of changes, so that all copies of the ledger have the same rows of earlier lives.
    let changes = Int64(max(1, addition.version.changes))
    guard let row else { return try begin(addition, in: life, version: changes) }
    let (id, version): (Int64, Int64) = (try row.value(0), try row.value(1))
    let isAcknowledged = version == (try row.value(2) as Int64)
    let stored: Data = try row.value(3)
    var state = try decoded(stored, id)
    state.add(addition)
    guard Self.isWithinLimits(state) else { return Self.excess(addition) }
    let bytes = state.encoded()
    try database.execute(
      cachedSQL: """
        UPDATE state SET version = ?1, mark = ?2, runs = ?3, urgent = iif(?4, ?1, urgent),
          changed = iif(version > acknowledged, changed, ?5)
        WHERE id = ?6
        """,
      arguments: [
        version + changes, RowVersion.mark(of: bytes), state.totals.runs, addition.hasNewOnHost,
        uptime, id,
      ])
    try database.execute(
      cachedSQL: "UPDATE state_data SET base = iif(?, data, base), data = ? WHERE id = ?",
      arguments: [isAcknowledged, Data(bytes), id])
    return nil
  }

  /// The counts of a row since the receiver acknowledged it; nil if there are none.
  func unacknowledged(_ id: Int64) throws -> SeriesState? {
    guard
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT data, base, version FROM state JOIN state_data USING (id)
          WHERE id = ? AND version > acknowledged
          """, arguments: [id])
    else { return nil }
    var state = try decoded(try row.value(0), id)
    if let base: Data = try row.optionalValue(1) { state.subtract(try decoded(base, id)) }
    state.version = RowVersion(changes: UInt64(try row.value(2) as Int64))
    return state
  }

  /// Restores the version of a row that the receiver has acknowledged; without one, removes the row.
  func putBack(_ id: Int64) throws {
    try database.execute(
      sql: "DELETE FROM state WHERE id = ? AND acknowledged = 0", arguments: [id])
    try database.execute(
      sql: "UPDATE state_data SET data = ifnull(base, data), base = NULL WHERE id = ?",
      arguments: [id])
    try database.execute(
      sql: """
        UPDATE state SET version = acknowledged, mark = acknowledged_mark, runs = acknowledged_runs
        WHERE id = ?
        """, arguments: [id])
  }

  /// Moves those counts of a row that the receiver lacks to another day.
  /// - Parameter keepsRest: whether the acknowledged counts stay in the ledger.
  /// - Returns: the sums that could not be counted; nil if all could.
  func move(
    _ id: Int64, to day: FleetDay, keepsRest: Bool = false
  ) throws -> LostSums? {
    let life = try Int64.fetchOne(
      database, sql: "SELECT life FROM state WHERE id = ?", arguments: [id])
    let rest = try unacknowledged(id)
    if keepsRest {
      try putBack(id)
    } else {
      try database.execute(cachedSQL: "DELETE FROM state WHERE id = ?", arguments: [id])
    }
    guard var rest, let life else { return nil }
    rest.key.series.day = day
    return try add(rest, to: life)
  }

  private func decoded(_ data: Data, _ id: Int64) throws -> SeriesState {
    try data.withUnsafeBytes { bytes throws(Failure) in
      try SeriesState(decoding: bytes, whole: "row \(id) of the ledger")
    }
  }

  private func begin(
    _ addition: SeriesState, in life: Int64, version: Int64
  ) throws -> LostSums? {
    var state = addition
    state.version = .none
    guard Self.isWithinLimits(state) else { return Self.excess(addition) }
    let bytes = state.encoded()
    try database.execute(
      cachedSQL: """
        INSERT INTO state (
          life, build_id, recorder, guards, day, labels, version, urgent, mark, runs, begun, changed
        ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?10)
        """,
      arguments: Self.arguments(life, state.key) + [
        version, RowVersion.mark(of: bytes), state.totals.runs, uptime,
      ])
    try database.execute(
      cachedSQL: "INSERT INTO state_data (id, data) VALUES (?, ?)",
      arguments: [database.lastInsertedRowID, Data(bytes)])
    return nil
  }

  private static func arguments(_ life: Int64, _ key: StateKey) -> StatementArguments {
    [
      life, key.build.buildID.description, key.build.recorder.rawValue, key.guardCount,
      Int64(key.day.number), IntakeLedger.text(key.labels),
    ]
  }

  /// Whether a row is small enough to be read again. Only builds with millions of guards exceed that.
  private static func isWithinLimits(_ state: SeriesState) -> Bool {
    state.sums.calledCount <= TraceLimits.firstCalls
  }

  private static func excess(_ addition: SeriesState) -> LostSums {
    LostSums(
      build: addition.key.build, day: addition.key.day, runs: addition.totals.runs,
      reason: "more than \(TraceLimits.firstCalls) functions were called on one day")
  }
}

extension SeriesState {
  /// Whether the build or a function of it is new on the host.
  fileprivate var hasNewOnHost: Bool {
    totals.hosts > 0 || sums.called.contains { $0.1.hosts > 0 }
  }
}

/// Runs of a build that will never reach a store.
package struct LostSums: Hashable, Sendable, CustomStringConvertible {
  package var build: BuildKey
  package var day: FleetDay
  package var runs: Int
  package var reason: String

  package var description: String { "build \(build.buildID.short) on \(day): \(reason)" }
}
