import FirstlightModel
import FleetModel
import Foundation
import GRDB

/// The sampled traces of each program.
extension SQLiteFleetStore {
  public func traces(of build: BuildKey) async throws -> [FleetTrace] {
    try await read { database in
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT sampled_trace.trace FROM sampled_trace
            JOIN sampled_image ON sampled_image.trace = sampled_trace.id
            JOIN build ON build.id = sampled_image.build
          WHERE build.build_id = ? AND build.recorder = ?
          ORDER BY sampled_trace.family, sampled_trace.id
          """, arguments: [build.buildID.description, build.recorder.rawValue])
      var traces: [FleetTrace] = []
      while let row = try rows.next() {
        let bytes: Data = try row.value(0)
        traces += try bytes.withUnsafeBytes { bytes throws(Failure) in try FleetBatch.decode(bytes)
        }
      }
      return traces
    }
  }

  func sample(_ trace: FleetTrace, builds: [BuildKey: Int64], in database: Database) throws {
    guard let program = builds[trace.images[trace.program].build] else { return }
    let limit = try Int64.fetchOne(
      database, sql: "SELECT sample_limit FROM build WHERE id = ?", arguments: [program])
    if let limit, Self.sortable(trace.family) > limit { return }
    try database.execute(
      cachedSQL: "INSERT INTO sampled_trace VALUES (NULL, ?, ?, ?)",
      arguments: [program, Self.sortable(trace.family), Data(FleetBatch.encode([trace]))])
    let id = database.lastInsertedRowID
    for image in trace.images {
      try database.execute(
        cachedSQL: "INSERT OR IGNORE INTO sampled_image VALUES (?, ?)",
        arguments: [builds[image.build], id])
    }
  }

  /// Leaves out what the sample has no room for, for good: what was dropped once can't come back, so
  /// nothing above it may be added either. Tells up to which family traces are wanted.
  func trimSamples(
    of programs: Set<BuildKey>, in database: Database
  ) throws -> [BuildKey: UInt64] {
    var limits: [BuildKey: UInt64] = [:]
    for program in programs {
      guard
        let row = try Row.fetchOne(
          database, sql: "SELECT id, sample_limit FROM build WHERE build_id = ? AND recorder = ?",
          arguments: [program.buildID.description, program.recorder.rawValue])
      else { continue }
      let id: Int64 = try row.value(0)
      var limit = try (row.optionalValue(1) as Int64?).map(Self.unsorted)
      let families = try Row.fetchAll(
        database,
        sql: """
          SELECT family, count(*) FROM sampled_trace WHERE program = ? GROUP BY family
          ORDER BY family
          """, arguments: [id]
      ).map { (family: Self.unsorted(try $0.value(0)), traces: try $0.value(1) as Int) }
      if let last = TraceSampleRule.last(of: families), last < limit ?? .max {
        limit = last
        try database.execute(
          sql: "DELETE FROM sampled_trace WHERE program = ? AND family > ?",
          arguments: [id, Self.sortable(last)])
        try database.execute(
          sql: "UPDATE build SET sample_limit = ? WHERE id = ?",
          arguments: [Self.sortable(last), id])
      }
      limits[program] = limit
    }
    return limits
  }

  /// Hashes are unsigned, SQLite's integers are not: shifted, they sort the same.
  static func sortable(_ hash: UInt64) -> Int64 { Int64(bitPattern: hash ^ (1 << 63)) }
  static func unsorted(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }
}
