import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

extension IntakeLedger {
  /// The next rows that are due, of one life, with samples of that life.
  /// - Parameters:
  ///   - now: seconds since 1970. After the end of a day, its rows are due once more, whatever the
  ///     pace. Each ledger has its own time for that, within `pace.most` of the day's end, so that
  ///     not all hosts send together.
  ///   - id: lower bound of the rows' ids, exclusive.
  ///   - samples: whether samples are sent if no row is due. While a row waits, its traces may leave the sample.
  ///   - bytes: size at which no further row is added; the first row may have any size.
  /// - Returns: nil if nothing is due.
  package func next(
    _ pace: SendingPace, now: Double, after id: Int64 = 0, samples: Bool = false, upTo bytes: Int
  ) throws(Failure) -> LedgerBatch? {
    try read { database in
      let over = try FleetDay(of: now - dayEndDelay(database) * pace.most).number
      let found = try Row.fetchCursor(
        try database.cachedStatement(
          sql: """
            SELECT id, life, version, mark, acknowledged, acknowledged_mark, runs,
              build_id, recorder, guards, day, labels, data
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
      var (rows, size, life): ([WaitingRow], Int, Int64?) = ([], 0, nil)
      while size < bytes, let row = try found.next() {
        guard let key = try Self.stateKey(row, from: 7) else { continue }
        let owner: Int64 = try row.value(1)
        if life ?? owner != owner { break }
        life = owner
        let data: Data = try row.value(12)
        rows.append(
          WaitingRow(
            id: try row.value(0), version: try version(row, 2, of: owner),
            follows: try version(row, 4, of: owner), runs: try row.value(6), key: key,
            bytes: Array(data)))
        size += data.count
      }
      if life == nil, samples {
        life = try Int64.fetchOne(
          database, sql: "SELECT life FROM sample WHERE acknowledged = 0 ORDER BY id LIMIT 1")
      }
      guard let life else { return nil }
      var batch = LedgerBatch(try secret(of: life, in: database))
      batch.rows = rows
      batch.samples = try waitingSamples(of: life, upTo: max(0, bytes - size), in: database)
      return batch
    }
  }

  /// A version of a row, from the columns of its changes and its mark. Rows of earlier lives have no mark.
  func version(_ row: Row, _ column: Int, of life: Int64) throws -> RowVersion {
    let changes = UInt64(try row.value(column) as Int64)
    let mark: Int64 = try row.value(column + 1)
    return RowVersion(
      changes: changes, mark: life == self.life.current ? UInt32(truncatingIfNeeded: mark) : 0)
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
  private func waitingSamples(
    of life: Int64, upTo bytes: Int, in database: Database
  ) throws -> [WaitingSample] {
    let found = try Row.fetchCursor(
      try database.cachedStatement(
        sql: """
          SELECT id, build_id, recorder, data FROM sample WHERE acknowledged = 0 AND life = ?
          ORDER BY id LIMIT ?
          """), arguments: [life, StateBatch.rowLimit])
    var (samples, size): ([WaitingSample], Int) = ([], 0)
    while size < bytes, let row = try found.next() {
      guard let program = Self.key(try row.value(1), try row.value(2)) else { continue }
      let data: Data = try row.value(3)
      samples.append(WaitingSample(id: try row.value(0), program: program, bytes: Array(data)))
      size += data.count
    }
    return samples
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
  private func dayEndDelay(_ database: Database) throws -> Double {
    let secret = try Data.fetchOne(
      database, sql: "SELECT secret FROM life ORDER BY id DESC LIMIT 1")
    return secret?.first.map { Double($0) / 256 } ?? 0
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
