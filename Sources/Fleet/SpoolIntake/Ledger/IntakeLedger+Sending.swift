import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

extension IntakeLedger {
  /// The secret that makes this ledger the only writer of its rows.
  package func secret() throws(Failure) -> LedgerSecret {
    try read { database in
      let bytes = try Data.fetchOne(database, sql: "SELECT secret FROM publisher")
      guard let secret = LedgerSecret(bytes ?? Data()) else {
        throw Failure(.data, "\(path): the ledger has no valid secret")
      }
      return secret
    }
  }

  /// Rows that are due, by id.
  /// - Parameters:
  ///   - now: seconds since 1970. After the end of a day, its rows are due once more, whatever the
  ///     pace. Each ledger has its own time for that, within `pace.most` of the day's end, so that
  ///     not all hosts send together.
  ///   - id: lower bound of the rows' ids, exclusive.
  ///   - bytes: size at which no further row is added; the first row may have any size.
  package func due(
    _ pace: SendingPace, now: Double, after id: Int64 = 0, upTo bytes: Int
  ) throws(Failure) -> [WaitingRow] {
    let over = try FleetDay(of: now - dayEndDelay * pace.most).number
    return try read { database in
      let found = try Row.fetchCursor(
        try database.cachedStatement(
          sql: """
            SELECT id, version, runs, build_id, recorder, guards, day, labels, data
            FROM state JOIN state_data USING (id)
            WHERE id > :id AND version > acknowledged AND version <> parked AND (
              sent IS NULL
              OR urgent > acknowledged AND :uptime - sent >= :least
              OR :uptime - sent >= \(Self.pause)
              OR day < :over AND sent_day <= day)
            ORDER BY id LIMIT :limit
            """),
        arguments: [
          "id": id, "uptime": uptime(), "least": pace.least, "most": pace.most, "over": over,
          "limit": StateBatch.rowLimit,
        ])
      var (rows, size): ([WaitingRow], Int) = ([], 0)
      while size < bytes, let row = try found.next() {
        guard let key = try Self.stateKey(row, from: 3) else { continue }
        let data: Data = try row.value(8)
        rows.append(
          WaitingRow(
            id: try row.value(0), version: UInt64(try row.value(1) as Int64),
            runs: try row.value(2), key: key, bytes: Array(data)))
        size += data.count
      }
      return rows
    }
  }

  /// Seconds from one version of a row to the next: a quarter of the row's age by then
  /// (`SendingPace`), which is a third of its age when it was sent.
  private static let pause = "min(max((sent - begun) / 3, :least), :most)"

  /// Seconds until a changed row may be due; nil if none has changed.
  package func secondsUntilDue(_ pace: SendingPace) throws(Failure) -> Double? {
    try read { database in
      try Double.fetchOne(
        try database.cachedStatement(
          sql: """
            SELECT min(iif(sent IS NULL, 0, sent - :uptime + iif(
              urgent > acknowledged, :least, \(Self.pause))))
            FROM state WHERE version > acknowledged AND version <> parked
            """),
        arguments: ["uptime": uptime(), "least": pace.least, "most": pace.most])
    }
  }

  /// Sampled traces that the receiver lacks.
  package func waitingSamples(upTo bytes: Int) throws(Failure) -> [WaitingSample] {
    try read { database in
      let found = try Row.fetchCursor(
        try database.cachedStatement(
          sql: """
            SELECT id, build_id, recorder, data FROM sample WHERE acknowledged = 0
            ORDER BY id LIMIT ?
            """), arguments: [StateBatch.rowLimit])
      var (samples, size): ([WaitingSample], Int) = ([], 0)
      while size < bytes, let row = try found.next() {
        guard let program = Self.key(try row.value(1), try row.value(2)) else { continue }
        let data: Data = try row.value(3)
        samples.append(WaitingSample(id: try row.value(0), program: program, bytes: Array(data)))
        size += data.count
      }
      return samples
    }
  }

  package func waitingSize() throws(Failure) -> WaitingSize {
    try read { database in
      var size = WaitingSize()
      guard
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT count(*), ifnull(sum(runs - acknowledged_runs), 0),
              ifnull(sum(length(data)), 0), max(? - changed)
            FROM state JOIN state_data USING (id)
            WHERE version > acknowledged AND version <> parked
            """, arguments: [uptime()])
      else { return size }
      size.rows = try row.value(0)
      size.runs = try row.value(1)
      size.bytes = try row.value(2)
      size.oldest = try row.optionalValue(3)
      return size
    }
  }

  /// The fraction of `SendingPace.most` after a day's end at which this ledger sends the day's rows.
  private var dayEndDelay: Double {
    get throws(Failure) { try secret().bytes.first.map { Double($0) / 256 } ?? 0 }
  }

  /// The key of a row, from columns in the table's order.
  static func stateKey(_ row: Row, from column: Int) throws -> StateKey? {
    guard let build = key(try row.value(column), try row.value(column + 1)),
      let labels = labels(try row.value(column + 4))
    else { return nil }
    return StateKey(
      series: SeriesKey(
        build: build, day: FleetDay(number: try row.value(column + 3)), labels: labels),
      guardCount: try row.value(column + 2))
  }
}
