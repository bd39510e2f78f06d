import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// A batch that waits for its store or upstream.
package struct OutboxBatch: Sendable {
  package var id: Int64
  /// Seconds since 1970.
  package var madeAt: Double
  package var traces: Int
  /// As they were made: what `FleetBatch` encodes, for another host compressed.
  package var bytes: [UInt8]
}

/// How much waits.
package struct OutboxSize: Hashable, Sendable {
  package var batches = 0
  package var traces = 0
  package var bytes = 0
  /// Seconds since 1970; nil if nothing waits.
  package var oldest: Double?

  package init() {}
}

extension IntakeLedger {
  /// The batches that wait longest.
  package func waiting(limit: Int) throws(Failure) -> [OutboxBatch] {
    try read { database in
      try Row.fetchAll(
        database, sql: "SELECT id, made_at, traces, batch FROM outbox ORDER BY id LIMIT ?",
        arguments: [limit]
      ).map { row in
        OutboxBatch(
          id: try row.value(0), madeAt: try row.value(1), traces: try row.value(2),
          bytes: Array(try row.value(3) as Data))
      }
    }
  }

  /// Adds a batch to those that wait.
  /// - Parameter note: what an administrator did, for the table of such; see `note(_:)`.
  package func enqueue(
    _ batch: [UInt8], traces: Int, madeAt: Double, note: String
  ) throws(Failure) {
    try write { database in
      try Self.add(note, to: database)
      try database.execute(
        cachedSQL: """
          INSERT INTO outbox (made_at, traces, batch, made_uptime)
          SELECT ?, ?, ?, seconds FROM uptime
          """,
        arguments: [madeAt, traces, Data(batch)])
    }
  }

  /// Notes what an administrator did.
  package func note(_ what: String) throws(Failure) {
    try write { try Self.add(what, to: $0) }
  }

  private static func add(_ note: String, to database: Database) throws {
    try database.execute(
      cachedSQL: "INSERT INTO audit (at, what) VALUES (strftime('%s', 'now'), ?)",
      arguments: [note])
  }

  /// Puts other bytes in the place of a batch that waits.
  package func replace(_ id: Int64, with batch: [UInt8]) throws(Failure) {
    try write { database in
      try database.execute(
        cachedSQL: "UPDATE outbox SET batch = ? WHERE id = ?", arguments: [Data(batch), id])
    }
  }

  /// Removes a batch that its receiver has for good, and keeps what the receiver wants to sample.
  package func acknowledge(_ id: Int64, sampleLimits: [BuildKey: UInt64]) throws(Failure) {
    try write { database in
      try database.execute(cachedSQL: "DELETE FROM outbox WHERE id = ?", arguments: [id])
      for (key, limit) in sampleLimits {
        try database.execute(
          cachedSQL: """
            INSERT INTO sample_limit VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET family = min(family, excluded.family)
            """,
          arguments: [
            key.buildID.description, key.recorder.rawValue, SortableHash.column(limit),
          ])
      }
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

  package func outboxSize() throws(Failure) -> OutboxSize {
    try read { database in
      var size = OutboxSize()
      guard
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT count(*), ifnull(sum(traces), 0), ifnull(sum(length(batch)), 0), min(made_at)
            FROM outbox
            """)
      else { return size }
      size.batches = try row.value(0)
      size.traces = try row.value(1)
      size.bytes = try row.value(2)
      size.oldest = try row.optionalValue(3)
      return size
    }
  }

  /// Gives up what is too old or too much, oldest first.
  /// - Parameters:
  ///   - seconds: batches go that have waited longer, of the daemon running: a clock can jump.
  ///   - bytes: how much may stay.
  /// - Returns: how many traces are lost.
  package func giveUp(
    olderThan seconds: Double, keeping bytes: Int
  ) throws(Failure) -> Int {
    try countUptime()
    return try write { database in
      var lost = 0
      var left =
        try Int.fetchOne(database, sql: "SELECT ifnull(sum(length(batch)), 0) FROM outbox") ?? 0
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, uptime.seconds - made_uptime, traces, length(batch) FROM outbox, uptime
          ORDER BY id
          """)
      for row in rows {
        guard try row.value(1) > seconds || left > bytes else { break }
        try database.execute(
          cachedSQL: "DELETE FROM outbox WHERE id = ?", arguments: [try row.value(0) as Int64])
        lost += try row.value(2)
        left -= try row.value(3)
      }
      return lost
    }
  }
}
