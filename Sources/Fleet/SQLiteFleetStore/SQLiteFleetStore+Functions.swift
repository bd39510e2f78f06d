import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
import SQLiteSupport

/// Stores function tables in rows like those of profiles.
extension SQLiteFleetStore {
  @discardableResult
  package func register(_ table: FunctionTable, proof: TableProof) async throws -> String? {
    let build = table.build
    let decision = try await write { database in
      let truth = try Self.row(of: table.key, in: database)
      try table.check(guardsOfTraces: truth?.guardCount, proof)
      let known = try truth.flatMap { try knownTable(id: $0.id, key: table.key, in: database) }
      let decision = TableDecision(on: table, proof, known: known)
      if let sentence = decision.sentence(about: build.path) {
        try Self.note(sentence, of: table.key, in: database)
      }
      if decision.takesIt { try replace(with: table, in: database) }
      if decision.takesIt || decision.contradiction == nil {
        // Tables for other numbers of guards count no more.
        try database.execute(
          sql: """
            UPDATE build SET proof = iif(guards = ?, ?, 0)
            WHERE build_id = ? AND recorder = ? AND architecture IS NOT NULL
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

  private func replace(with table: FunctionTable, in database: Database) throws {
    let build = table.build
    let id = try Self.id(
      of: table.key, guardCount: build.guardCount, isExecutable: build.kind == .executable,
      in: database)
    try Self.add(ImageNames(build.path, runs: 0), to: id, in: database)
    for name in Self.functionTables + ["read_failure"] {
      try database.execute(sql: "DELETE FROM \(name) WHERE build = ?", arguments: [id])
    }
    try write(table, id: id, in: database)
  }

  private func knownTable(
    id: Int64, key: BuildKey, in database: Database
  ) throws -> (table: FunctionTable, proof: TableProof)? {
    guard let table = try functionTable(id: id, key: key, in: database) else { return nil }
    let proof = try Int.fetchOne(
      database, sql: "SELECT proof FROM build WHERE id = ?", arguments: [id])
    return (table, TableProof(rawValue: proof ?? 0) ?? .found)
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

  private func write(_ table: FunctionTable, id: Int64, in database: Database) throws {
    let build = table.build
    try database.execute(
      sql: """
        UPDATE build SET architecture = ?, has_symbols = ?, has_debug_info = ?, executable = ?,
          registered = strftime('%s', 'now') / 86400
        WHERE id = ?
        """,
      arguments: [
        build.architecture, build.hasSymbols, build.hasDebugInfo, build.kind == .executable, id,
      ])
    var files: [String: Int64] = [:]
    let known = try Row.fetchCursor(database, sql: "SELECT path, id FROM file")
    while let row = try known.next() { files[try row.value(0)] = try row.value(1) as Int64 }
    try ProfileWriter.writeFunctions(of: build, id: Int(id), files: &files, in: database.handle)
    if build.isOptimised {
      try database.execute(sql: "INSERT INTO optimised VALUES (?)", arguments: [id])
    }
    var bodies = try RowInsertion(into: "body", columns: 4, keepsKnown: true, in: database.handle)
    for body in table.bodies {
      bodies.add(id)
      bodies.add(Int64(bitPattern: body.address))
      bodies.add(Int64(bitPattern: body.size))
      bodies.add(body.name)
      try bodies.insert()
    }
  }

  package func functionTable(of build: BuildKey) async throws -> FunctionTable? {
    try await read { database in
      guard let row = try Self.row(of: build, in: database) else { return nil }
      return try functionTable(id: row.id, key: build, in: database)
    }
  }

  private func functionTable(
    id: Int64, key: BuildKey, in database: Database
  ) throws -> FunctionTable? {
    guard
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT path, executable, architecture, has_symbols, has_debug_info, guards FROM build
          WHERE id = ? AND architecture IS NOT NULL
          """, arguments: [id])
    else { return nil }
    var build = try Build(
      buildID: key.buildID, path: row.value(0),
      kind: row.value(1) as Bool ? .executable : .sharedLibrary, architecture: row.value(2),
      hasSymbols: row.value(3), hasDebugInfo: row.value(4), functions: [], entryGuards: [],
      guardCount: row.value(5), recorder: key.recorder)
    let reader = try ProfileReader(path: path, database: database.handle)
    let files = try reader.readFiles()
    try reader.readFunctions(of: Int(id), files: files, into: &build)
    try reader.readUnwatched(of: Int(id), files: files, into: &build)
    let bodies = try Row.fetchAll(
      database, sql: "SELECT address, size, name FROM body WHERE build = ? ORDER BY address, name",
      arguments: [id]
    ).map { row in
      CodeBody(
        address: UInt64(bitPattern: try row.value(0) as Int64),
        size: UInt64(bitPattern: try row.value(1) as Int64), name: try row.value(2))
    }
    return FunctionTable(build: build, bodies: bodies)
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
      database,
      sql: """
        SELECT file, reason, attempts, at FROM read_failure WHERE build = ? ORDER BY at DESC LIMIT 1
        """, arguments: [id]
    ).map(Self.readFailure)
  }

  private static func readFailure(_ row: Row) throws -> ReadFailure {
    ReadFailure(
      file: try row.value(0), reason: try row.value(1), attempts: try row.value(2),
      at: try row.value(3))
  }
}
