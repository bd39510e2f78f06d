import FirstlightModel
import FleetModel

/// A function table without its functions.
struct StoredTable: Sendable {
  var claim: Claim
  var digest: UInt64
  var proof: TableProof
  /// Time of registration, seconds since 1970.
  var at: UInt64
  var path: String
  var isExecutable: Bool
  var parts: Int
  var bytes: Int

  /// Of the tables of a claim, the last one with most proof is in force.
  func isInForce(before other: StoredTable) -> Bool {
    (proof.rawValue, at, digest) > (other.proof.rawValue, other.at, other.digest)
  }
}

extension ClickHouseFleetStore {
  @discardableResult
  package func register(_ table: FunctionTable, proof: TableProof) async throws -> String? {
    let (build, key) = (table.build, table.key)
    let truth = try await truth(of: key)
    try table.check(guardsOfTraces: truth?.guards, proof)
    var known: (stored: StoredTable, table: FunctionTable)?
    if let truth, let stored = Self.best(try await storedTables(SQLText.isOf([truth])), of: truth) {
      known = (stored, try await read(stored))
    }
    let decision = TableDecision(on: table, proof, known: known.map { ($0.table, $0.stored.proof) })
    if let sentence = decision.sentence(about: build.path) {
      try await noteContradiction(sentence, of: key)
    }
    if let refusal = decision.refusal(of: build.path) { throw refusal }
    let bytes = BuildReading(result: .success(table)).encoded()
    let isNew = decision.takesIt
    var new = StoredTable(table, bytes, decision.proof, at: seconds)
    if let known {
      if !isNew, known.stored.proof == decision.proof { return nil }
      if !isNew { (new, new.proof) = (known.stored, decision.proof) }
      // The last one counts, also within a second.
      new.at = max(seconds, known.stored.at + 1)
    }
    if isNew { try await insert(Self.parts(of: bytes, new), into: "function_bytes") }
    // The last insert: a table counts once its row exists.
    try await insert(new.rows(), into: "function_table")
    return decision.sentence(about: build.path)
  }

  package func functionTable(of build: BuildKey) async throws -> FunctionTable? {
    let tables = try await storedTables(SQLText.isOf(build))
    guard !tables.isEmpty, let claim = try await truth(of: build),
      let best = Self.best(tables, of: claim)
    else { return nil }
    return try await read(best)
  }

  private func read(_ stored: StoredTable) async throws -> FunctionTable {
    let build = stored.claim.build
    let parts = try await rows(
      """
      SELECT part, any(bytes) FROM function_bytes
      WHERE \(SQLText.isOf([stored.claim])) AND digest = \(stored.digest)
      GROUP BY part ORDER BY part
      """, allowingGaps: false
    ) { row throws(Failure) in
      _ = try row.integer(UInt32.self)
      return try row.data()
    }
    guard parts.count == stored.parts else {
      throw Failure(.unavailable, "\(name): lacks functions of build \(build.buildID.short)")
    }
    let reading = try BuildReading(
      decoding: parts.flatMap { $0 }, path: stored.path, rows: .max)
    var table = try reading.result.get()
    table.build.recorder = build.recorder
    return table
  }

  /// Bytes of a table in one row: a merge has thousands of rows in memory.
  fileprivate static let partSize = 16384

  private static func parts(of bytes: [UInt8], _ table: StoredTable) -> RowWriter {
    var rows = RowWriter()
    for part in 0..<table.parts {
      rows.begin(table.claim)
      rows.add(table.digest)
      rows.add(UInt32(part))
      rows.add(Array(bytes[part * partSize..<min((part + 1) * partSize, bytes.count)]))
    }
    return rows
  }

  static func best(_ tables: [StoredTable], of claim: Claim) -> StoredTable? {
    tables.filter { $0.claim == claim }.min { $0.isInForce(before: $1) }
  }

  func storedTables(_ condition: String) async throws(Failure) -> [StoredTable] {
    try await rows(
      """
      SELECT build_id, recorder, guards, digest, proof, at, path, executable, parts, bytes
      FROM function_table FINAL WHERE \(condition)
      """
    ) { row throws(Failure) in
      StoredTable(
        claim: try row.claim(), digest: try row.integer(),
        proof: TableProof(rawValue: try row.number(UInt8.self)) ?? .found,
        at: try row.integer(), path: try row.text(), isExecutable: try row.bool(),
        parts: try row.number(UInt32.self), bytes: try row.number(UInt64.self))
    }
  }
}

extension StoredTable {
  fileprivate init(_ table: FunctionTable, _ bytes: [UInt8], _ proof: TableProof, at: UInt64) {
    let build = table.build
    claim = Claim(table.key, guards: build.guardCount)
    digest = FNV1a.hash(of: bytes)
    self.proof = proof
    self.at = at
    path = build.path
    isExecutable = build.kind == .executable
    parts = (bytes.count + ClickHouseFleetStore.partSize - 1) / ClickHouseFleetStore.partSize
    self.bytes = bytes.count
  }

  fileprivate func rows() -> RowWriter {
    var rows = RowWriter()
    rows.begin(claim)
    rows.add(digest)
    rows.add(UInt8(proof.rawValue))
    rows.add(at)
    rows.add(path)
    rows.add(isExecutable)
    rows.add(UInt32(parts))
    rows.add(UInt64(bytes))
    return rows
  }
}

/// Files that contradicted a build's function table.
extension ClickHouseFleetStore {
  /// Records a contradiction, if it is the build's first.
  private func noteContradiction(_ reason: String, of key: BuildKey) async throws(Failure) {
    guard try await contradictions(SQLText.isOf(key)).isEmpty else { return }
    var rows = RowWriter()
    rows.begin(key)
    rows.add(reason)
    rows.add(seconds)
    try await insert(rows, into: "contradiction")
  }

  func contradictions(
    _ condition: String
  ) async throws(Failure) -> [BuildKey: Contradiction] {
    let rows = try await rows(
      """
      SELECT build_id, recorder, argMin(reason, at), min(at) FROM contradiction
      WHERE \(condition) GROUP BY build_id, recorder
      """
    ) { row throws(Failure) in
      (
        try row.build(),
        Contradiction(reason: try row.text(), at: Double(try row.integer(UInt64.self)))
      )
    }
    return Dictionary(rows) { first, _ in first }
  }
}

/// Files whose readers had to be stopped.
extension ClickHouseFleetStore {
  package func note(_ failure: ReadFailure, of build: BuildKey) async throws {
    var rows = RowWriter()
    rows.begin(build)
    rows.add(failure.file)
    rows.add(failure.reason)
    rows.add(UInt32(clamping: failure.attempts))
    rows.add(failure.at)
    try await insert(rows, into: "read_failure")
  }

  package func readFailure(ofFile file: String) async throws -> ReadFailure? {
    try await readFailures("file = \(SQLText.quoted(file))").max {
      ($0.failure.attempts, $0.failure.at) < ($1.failure.attempts, $1.failure.at)
    }?.failure
  }

  /// The last failure of each build that matches a condition.
  func lastReadFailures(
    _ condition: String
  ) async throws(Failure) -> [BuildKey: ReadFailure] {
    Dictionary(try await readFailures(condition).map { ($0.build, $0.failure) }) {
      $0.at < $1.at ? $1 : $0
    }
  }

  private func readFailures(
    _ condition: String
  ) async throws(Failure) -> [(build: BuildKey, failure: ReadFailure)] {
    try await rows(
      """
      SELECT build_id, recorder, file, reason, attempts, at FROM read_failure FINAL
      WHERE \(condition)
      """
    ) { row throws(Failure) in
      (
        try row.build(),
        ReadFailure(
          file: try row.text(), reason: try row.text(), attempts: try row.number(UInt32.self),
          at: try row.double())
      )
    }
  }
}
