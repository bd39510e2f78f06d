import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// The sampled traces of each program.
extension SQLiteFleetStore {
  package func traces(of build: BuildKey, upTo weight: Int) async throws -> [FleetTrace] {
    try await read { database in
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT sampled_trace.trace FROM sampled_trace
            JOIN sampled_image ON sampled_image.trace = sampled_trace.id
          WHERE sampled_image.build = ?
          ORDER BY sampled_trace.family, sampled_trace.id
          """, arguments: [try Self.row(of: build, in: database)?.id])
      var traces: [FleetTrace] = []
      var weight = weight
      while let row = try rows.next() {
        let bytes: Data = try row.value(0)
        let trace = try bytes.withUnsafeBytes { bytes throws(Failure) in
          try FleetBatch.decode(bytes)
        }
        weight -= trace.reduce(0) { $0 + $1.answerWeight }
        if weight < 0, !traces.isEmpty { break }
        traces += trace
      }
      return traces
    }
  }

  func sample(_ trace: FleetTrace, builds: [BuildKey: Int64], in database: Database) throws {
    guard let program = builds[trace.images[trace.program].build] else { return }
    let limit = try Int64.fetchOne(
      database, sql: "SELECT sample_limit FROM build WHERE id = ?", arguments: [program])
    if let limit, SortableHash.column(trace.family) > limit { return }
    try database.execute(
      cachedSQL: "INSERT INTO sampled_trace VALUES (NULL, ?, ?, ?, ?)",
      arguments: [
        program, SortableHash.column(trace.family), Data(FleetBatch.encode([trace])),
        FleetDay(of: trace.startedAt).number,
      ])
    let id = database.lastInsertedRowID
    for image in trace.images {
      try database.execute(
        cachedSQL: "INSERT OR IGNORE INTO sampled_image VALUES (?, ?)",
        arguments: [builds[image.build], id])
    }
  }

  /// Notes on which day each trace began, in a store that did not know.
  static func fillSampleDays(in database: Database) throws {
    for id in try Int64.fetchAll(database, sql: "SELECT id FROM sampled_trace") {
      let bytes =
        try Data.fetchOne(
          database, sql: "SELECT trace FROM sampled_trace WHERE id = ?", arguments: [id]) ?? Data()
      let traces = try bytes.withUnsafeBytes { bytes throws(Failure) in
        try FleetBatch.decode(bytes)
      }
      try database.execute(
        cachedSQL: "UPDATE sampled_trace SET day = ? WHERE id = ?",
        arguments: [FleetDay(of: traces.first?.startedAt ?? 0).number, id])
    }
  }

  /// Leaves out what a program's sample has no room for, for good: what was dropped once can't come back,
  /// so nothing above it may be added either.
  /// - Parameter program: the row of the build.
  func trimSample(of program: Int64, in database: Database) throws {
    let limit = try Int64.fetchOne(
      database, sql: "SELECT sample_limit FROM build WHERE id = ?", arguments: [program]
    ).map { SortableHash.hash($0) }
    let families = try Row.fetchAll(
      database,
      sql: """
        SELECT family, count(*) FROM sampled_trace WHERE program = ? GROUP BY family
        ORDER BY family
        """, arguments: [program]
    ).map { (family: SortableHash.hash(try $0.value(0)), traces: try $0.value(1) as Int) }
    guard let last = TraceSampleRule.last(of: families), last < limit ?? .max else { return }
    try database.execute(
      sql: "DELETE FROM sampled_trace WHERE program = ? AND family > ?",
      arguments: [program, SortableHash.column(last)])
    try database.execute(
      sql: "UPDATE build SET sample_limit = ? WHERE id = ?",
      arguments: [SortableHash.column(last), program])
  }

  /// Up to which family traces are wanted of the programs as they truly are: what is forged keeps no host
  /// from sending orders.
  func sampleLimits(
    of programs: Set<BuildKey>, in database: Database
  ) throws -> [BuildKey: UInt64] {
    var limits: [BuildKey: UInt64] = [:]
    for program in programs {
      guard let (id, _) = try Self.row(of: program, in: database) else { continue }
      limits[program] = try Int64.fetchOne(
        database, sql: "SELECT sample_limit FROM build WHERE id = ?", arguments: [id]
      ).map { SortableHash.hash($0) }
    }
    return limits
  }
}
