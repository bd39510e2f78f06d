import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport

/// Stores function tables, encoded as by the processes that read builds' files.
extension SQLiteFleetStore {
  @discardableResult
  package func register(_ table: FunctionTable, proof: TableProof) async throws -> String? {
    let build = table.build
    let decision = try await write { database in
      let truth = try Self.row(of: table.key, in: database)
      try table.check(guardsOfTraces: truth?.guardCount, proof)
      let known = try truth.flatMap { try storedTable(of: $0, in: database) }
      let decision = TableDecision(on: table, proof, known: known)
      if let sentence = decision.sentence(about: build.path) {
        try Self.note(sentence, of: table.key, in: database)
      }
      if decision.takesIt { try Self.replace(with: table, in: database) }
      if decision.takesIt || decision.contradiction == nil {
        // Tables for other numbers of guards count no more.
        try database.execute(
          sql: """
            UPDATE function_table SET proof = iif(guards = ?, ?, 0)
            FROM build WHERE build.id = build AND build_id = ? AND recorder = ?
            """,
          arguments: [
            build.guardCount, decision.proof.rawValue, build.buildID.description,
            build.recorder.rawValue,
          ])
      }
      return decision
    }
    if let refusal = decision.refusal(of: build.path) { throw refusal }
    return decision.sentence(about: build.path)
  }

  private static func replace(with table: FunctionTable, in database: Database) throws {
    let id = try id(
      of: table.key, guardCount: table.build.guardCount,
      isExecutable: table.build.kind == .executable, in: database)
    try add(ImageNames(table.build.path, runs: 0), to: id, in: database)
    try database.execute(sql: "DELETE FROM read_failure WHERE build = ?", arguments: [id])
    try database.execute(
      sql: "INSERT OR REPLACE INTO function_table VALUES (?, 0, strftime('%s', 'now') / 86400, ?)",
      arguments: [id, Data(BuildReading(result: .success(table)).encoded())])
  }

  package func functionTable(of build: BuildKey) async throws -> FunctionTable? {
    try await read { database in
      try Self.row(of: build, in: database).flatMap { try storedTable(of: $0, in: database)?.table }
    }
  }

  private func storedTable(
    of build: BuildRow, in database: Database
  ) throws -> (table: FunctionTable, proof: TableProof)? {
    guard
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT path, proof, functions FROM function_table JOIN build ON build.id = build
          WHERE build = ?
          """, arguments: [build.id])
    else { return nil }
    let (path, proof, bytes): (String, Int, Data) = (
      try row.value(0), try row.value(1), try row.value(2)
    )
    do throws(Failure) {
      let reading = try BuildReading(decoding: Array(bytes), path: path, rows: .max)
      return (try reading.result.get(), TableProof(rawValue: proof) ?? .found)
    } catch { throw Damage("functions of build \(build.id): \(error.problem)") }
  }

  /// Records a contradiction, if it is the build's first.
  private static func note(_ reason: String, of key: BuildKey, in database: Database) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO contradiction VALUES (?, ?, ?, strftime('%s', 'now'))",
      arguments: [key.buildID.description, key.recorder.rawValue, reason])
  }

  static func contradiction(of key: BuildKey, in database: Database) throws -> Contradiction? {
    try Row.fetchOne(
      database.cachedStatement(
        sql: "SELECT reason, at FROM contradiction WHERE build_id = ? AND recorder = ?"),
      arguments: [key.buildID.description, key.recorder.rawValue]
    ).map { Contradiction(reason: try $0.value(0), at: try $0.value(1)) }
  }
}

/// Files whose readers had to be stopped.
extension SQLiteFleetStore {
  /// Number of files remembered for one build: more than the places to look for one.
  private static let filesOfBuild = 8

  package func note(_ failure: ReadFailure, of build: BuildKey) async throws {
    try await write { database in
      guard let id = try Self.row(of: build, in: database)?.id else { return }
      try database.execute(
        sql: "INSERT OR REPLACE INTO read_failure VALUES (?, ?, ?, ?, ?)",
        arguments: [id, failure.file, failure.reason, failure.attempts, failure.at])
      try database.execute(
        sql: """
          DELETE FROM read_failure WHERE build = ? AND file NOT IN (
            SELECT file FROM read_failure WHERE build = ? ORDER BY at DESC LIMIT ?)
          """, arguments: [id, id, Self.filesOfBuild])
    }
  }

  package func readFailure(ofFile file: String) async throws -> ReadFailure? {
    try await read { database in
      try Row.fetchOne(
        database,
        sql: """
          SELECT file, reason, attempts, at FROM read_failure WHERE file = ?
          ORDER BY attempts DESC, at DESC LIMIT 1
          """, arguments: [file]
      ).map(Self.readFailure)
    }
  }

  /// The last failure of a build.
  func readFailure(ofBuild id: Int64, in database: Database) throws -> ReadFailure? {
    try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT file, reason, attempts, at FROM read_failure WHERE build = ?
          ORDER BY at DESC LIMIT 1
          """), arguments: [id]
    ).map(Self.readFailure)
  }

  private static func readFailure(_ row: Row) throws -> ReadFailure {
    ReadFailure(
      file: try row.value(0), reason: try row.value(1), attempts: try row.value(2),
      at: try row.value(3))
  }
}
