import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
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
          ORDER BY family, high, low, publisher
          """, arguments: [try Self.row(of: build, in: database)?.id])
      var traces: [FleetTrace] = []
      var weight = weight
      while let row = try rows.next() {
        let bytes: Data = try row.value(0)
        let trace = try bytes.withUnsafeBytes { bytes throws(Failure) in
          try StateBatch.sample(bytes)
        }
        weight -= trace.answerWeight
        if weight < 0, !traces.isEmpty { break }
        traces.append(trace)
      }
      return traces
    }
  }

  /// Adds the traces that fit their samples.
  /// - Returns: the number of new traces that stay.
  static func sample(
    _ traces: [FleetTrace], of publisher: PublisherID, _ rules: StateRules, in database: Database
  ) throws -> Int {
    var added: [(program: Int64, trace: Int64)] = []
    for trace in traces {
      guard let program = trace.programImage?.build, let images = rules.images(of: trace) else {
        continue
      }
      let day = FleetDay.counting(trace.startedAt)
      guard try fits(trace, of: program, in: database) else { continue }
      var builds: [BuildKey: Int64] = [:]
      for image in images {
        let build = try admittedID(
          of: image.build, guardCount: image.guardCount, isExecutable: image.isExecutable,
          in: database)
        guard let build else { continue }
        builds[image.build] = build
        try add(ImageNames(image.name, runs: 0), to: build, in: database)
      }
      guard let id = builds[program] else { continue }
      if let new = try add(trace, of: publisher, program: id, builds.values, on: day, in: database)
      {
        added.append((id, new))
      }
    }
    for program in Set(added.map(\.program)) { try trimSample(of: program, in: database) }
    let isThere = try database.cachedStatement(sql: "SELECT 1 FROM sampled_trace WHERE id = ?")
    return try added.count { try Int.fetchOne(isThere, arguments: [$1]) != nil }
  }

  /// Whether the sample of a trace's program has room for it. Builds of other traces need no rows.
  private static func fits(
    _ trace: FleetTrace, of program: BuildKey, in database: Database
  ) throws -> Bool {
    guard let guardCount = trace.programImage?.guardCount,
      let id = try row(of: program, guardCount: guardCount, in: database),
      let limit = try sampleLimit(of: id, in: database)
    else { return true }
    return SortableHash.column(trace.family) <= limit
  }

  /// - Returns: the id of the trace's row; nil if the sample has the trace already.
  private static func add(
    _ trace: FleetTrace, of publisher: PublisherID, program: Int64, _ builds: some Sequence<Int64>,
    on day: FleetDay, in database: Database
  ) throws -> Int64? {
    try database.execute(
      cachedSQL: "INSERT OR IGNORE INTO sampled_trace VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        program, Data(publisher.bytes), Int64(bitPattern: trace.id.high),
        Int64(bitPattern: trace.id.low), SortableHash.column(trace.family), day.number,
        Data(StateBatch.encode(sample: trace)),
      ])
    guard database.changesCount == 1 else { return nil }
    let id = database.lastInsertedRowID
    for build in builds {
      try database.execute(
        cachedSQL: "INSERT OR IGNORE INTO sampled_image VALUES (?, ?)", arguments: [build, id])
    }
    return id
  }

  /// In the form of the column.
  private static func sampleLimit(of program: Int64, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT sample_limit FROM build WHERE id = ?"),
      arguments: [program])
  }

  /// Removes the traces that no longer fit a program's sample. The limit is recorded, since dropped
  /// traces cannot come back, so no trace above the limit may be added either.
  /// - Parameter program: id of the build's row.
  private static func trimSample(of program: Int64, in database: Database) throws {
    let limit = try sampleLimit(of: program, in: database).map { SortableHash.hash($0) }
    let families = try Row.fetchAll(
      database,
      sql: """
        SELECT family, count(*) FROM sampled_trace WHERE program = ? GROUP BY family
        ORDER BY family
        """, arguments: [program]
    ).map { (family: SortableHash.hash(try $0.value(0)), traces: try $0.value(1) as Int) }
    if let first = families.first, first.traces > TraceSampleRule.size {
      try database.execute(
        sql: """
          DELETE FROM sampled_trace WHERE id IN (
            SELECT id FROM sampled_trace WHERE program = ? AND family = ?
            -- The columns hold the bits as signed numbers.
            ORDER BY high < 0, high, low < 0, low, publisher LIMIT -1 OFFSET ?)
          """,
        arguments: [program, SortableHash.column(first.family), TraceSampleRule.size])
    }
    guard let last = TraceSampleRule.last(of: families), last < limit ?? .max else { return }
    try database.execute(
      sql: "DELETE FROM sampled_trace WHERE program = ? AND family > ?",
      arguments: [program, SortableHash.column(last)])
    try database.execute(
      sql: "UPDATE build SET sample_limit = ? WHERE id = ?",
      arguments: [SortableHash.column(last), program])
  }

  /// The sample limits of programs, for their true claims only: forged claims cannot stop hosts
  /// from sending call orders.
  static func sampleLimits(
    of programs: Set<BuildKey>, in database: Database
  ) throws -> [BuildKey: UInt64] {
    var limits: [BuildKey: UInt64] = [:]
    for program in programs {
      guard let build = try row(of: program, in: database) else { continue }
      limits[program] = try sampleLimit(of: build.id, in: database).map { SortableHash.hash($0) }
    }
    return limits
  }
}
