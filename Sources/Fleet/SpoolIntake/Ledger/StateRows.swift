import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// The rows of a ledger within a transaction.
struct StateRows {
  private let database: Database
  private let uptime: Double

  init(_ database: Database, uptime: Double) {
    self.database = database
    self.uptime = uptime
  }

  /// Adds traces to the rows, and traces with calls also to the sample.
  /// - Returns: the sums that could not be counted.
  func count(
    _ traces: [FleetTrace], unwatched: [BuildKey: GuardSet] = [:]
  ) throws -> [LostSums] {
    let lost = try SeriesState.counting(traces, unwatched: unwatched).compactMap(add)
    let samples = traces.filter { $0.calls != nil && $0.programImage != nil }
    if !samples.isEmpty { try SampleRows(database).add(samples) }
    return lost
  }

  /// Adds to the row of a key, or creates it with version 1.
  /// - Returns: the sums that could not be counted; nil if all could.
  func add(_ addition: SeriesState) throws -> LostSums? {
    let row = try Row.fetchOne(
      try database.cachedStatement(
        sql: """
          SELECT id, version, data FROM state JOIN state_data USING (id)
          WHERE build_id = ? AND recorder = ? AND guards = ? AND day = ? AND labels = ?
          """), arguments: Self.arguments(addition.key))
    guard let row else { return try begin(addition) }
    let (id, version): (Int64, Int64) = (try row.value(0), try row.value(1))
    let stored: Data = try row.value(2)
    var state = try stored.withUnsafeBytes { bytes throws(Failure) in
      try SeriesState(decoding: bytes, whole: "row \(id) of the ledger")
    }
    state.add(addition)
    state.version = UInt64(version) + 1
    guard Self.isWithinLimits(state) else { return Self.excess(addition) }
    try database.execute(
      cachedSQL: """
        UPDATE state SET version = ?1, runs = ?2, urgent = iif(?3, ?1, urgent),
          changed = iif(version > acknowledged, changed, ?4)
        WHERE id = ?5
        """,
      arguments: [
        version + 1, state.totals.runs, addition.hasNewOnHost, uptime, id,
      ])
    try database.execute(
      cachedSQL: "UPDATE state_data SET data = ? WHERE id = ?",
      arguments: [Data(state.encoded()), id])
    return nil
  }

  /// Moves a row's counts to the undated row, unless a receiver has some of them already.
  /// - Returns: the sums that could not be counted; nil if all could.
  func countWithoutDate(_ id: Int64) throws -> LostSums? {
    let stored = try Data.fetchOne(
      database,
      sql: """
        SELECT data FROM state JOIN state_data USING (id) WHERE id = ? AND acknowledged = 0
        """, arguments: [id])
    guard let stored else { return nil }
    var state = try stored.withUnsafeBytes { bytes throws(Failure) in
      try SeriesState(decoding: bytes, whole: "row \(id) of the ledger")
    }
    state.key.series.day = .undated
    try database.execute(cachedSQL: "DELETE FROM state WHERE id = ?", arguments: [id])
    return try add(state)
  }

  private func begin(_ addition: SeriesState) throws -> LostSums? {
    var state = addition
    state.version = 1
    guard Self.isWithinLimits(state) else { return Self.excess(addition) }
    try database.execute(
      cachedSQL: """
        INSERT INTO state (
          build_id, recorder, guards, day, labels, version, urgent, runs, begun, changed
        ) VALUES (?1, ?2, ?3, ?4, ?5, 1, 1, ?6, ?7, ?7)
        """,
      arguments: Self.arguments(state.key) + [state.totals.runs, uptime])
    try database.execute(
      cachedSQL: "INSERT INTO state_data VALUES (?, ?)",
      arguments: [database.lastInsertedRowID, Data(state.encoded())])
    return nil
  }

  private static func arguments(_ key: StateKey) -> StatementArguments {
    [
      key.build.buildID.description, key.build.recorder.rawValue, key.guardCount,
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

/// Encodes sets of guards for columns: words with a bit for each guard, or, if most would be zero,
/// rising numbers as LEB128 differences to the previous one.
enum GuardSetColumn {
  static func data(_ set: GuardSet) -> (bytes: Data, isSparse: Bool) {
    switch GuardSelection(set) {
    case .bits(let set): return (set.words.map(\.littleEndian).withUnsafeBytes { Data($0) }, false)
    case .list(let guards):
      var bytes: [UInt8] = []
      var last: UInt32 = 0
      for index in guards {
        LEB128.append(UInt64(index - last), to: &bytes)
        last = index
      }
      return (Data(bytes), true)
    }
  }

  static func set(_ data: Data, isSparse: Bool) -> GuardSet {
    if isSparse {
      return data.withUnsafeBytes { bytes in
        var (at, last) = (0, UInt64(0))
        var guards: [UInt32] = []
        while let step = LEB128.next(bytes, &at), let index = UInt32(exactly: last &+ step) {
          guards.append(index)
          last = UInt64(index)
        }
        return GuardSet(guards)
      }
    }
    return GuardSet(
      words: data.withUnsafeBytes { bytes in
        (0..<bytes.count / 8).map {
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
        }
      })
  }
}
