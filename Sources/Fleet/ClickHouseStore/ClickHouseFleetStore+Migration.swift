import FirstlightModel

/// Makes the tables of a store, or brings those of an earlier firstlightd up to date.
extension ClickHouseFleetStore {
  func migrate(
    _ server: ClickHouseServer, isFirst: Bool
  ) async throws(ClickHouseError) {
    try await server.run(
      "CREATE TABLE IF NOT EXISTS migration (number UInt32, keeps_log UInt8) ENGINE = MergeTree "
        + "ORDER BY number")
    let done = try await server.read("SELECT max(number), max(keeps_log) FROM migration") {
      row throws(Failure) in (try row.integer(UInt32.self), try row.bool())
    }
    let reached = Int(done.first?.0 ?? 0)
    guard reached <= ClickHouseSchema.version else {
      throw .failure(
        Failure(
          .data, "\(server.name): the store was created by a newer firstlightd",
          advice: "use that version, or another store"))
    }
    guard reached == 0 || done.first?.1 == isFirst else {
      throw .failure(
        Failure(
          .data, "\(server.name): \(isFirst ? "does not hold" : "holds") the log of its store",
          advice: "list the servers in the order in which the store was created"))
    }
    if reached == ClickHouseSchema.version { return }
    if reached > 0 { try await takeOver(on: server) }
    for statement in ClickHouseSchema.tables(of: address, isFirst: isFirst) {
      try await server.run(statement)
    }
    var rows = RowWriter()
    rows.row()
    rows.add(UInt32(ClickHouseSchema.version))
    rows.add(isFirst)
    try await server.insert(rows, into: "migration")
    if reached > 0 { try await removeFormer(on: server) }
  }

  /// Fills today's tables from a former store's; see `FormerSchema`.
  private func takeOver(on server: ClickHouseServer) async throws(ClickHouseError) {
    var tables = try await tables(on: server)
    for rename in FormerSchema.renames(cluster: address.cluster) {
      if let spread = rename.spread { try await server.run("DROP TABLE IF EXISTS \(spread)") }
      guard tables.contains(rename.from), !tables.contains(rename.to) else { continue }
      try await server.run("RENAME TABLE \(rename.from) TO \(rename.to)")
    }
    for statement in FormerSchema.empty { try await server.run(statement) }
    let tags = try await formerTags(on: server)
    tables = try await self.tables(on: server)
    for copy in FormerSchema.copies {
      let name = ClickHouseSchema.local(copy.table.name, cluster: address.cluster)
      guard !tables.contains(name) else { continue }
      let own = "\(name)_\(WriteTag(at: tuning.now()).tag)"
      try await server.run(ClickHouseSchema.make(copy.table, called: own))
      for start in stride(from: 0, to: tags.count, by: Self.tagsAtATime) {
        let some = tags[start..<min(start + Self.tagsAtATime, tags.count)]
        for rows in copy.rows {
          try await server.run(
            "INSERT INTO \(own) (\(copy.columns)) \(rows("tag IN \(SQLText.list(some))"))")
        }
      }
      do throws(ClickHouseError) {
        try await server.run("RENAME TABLE \(own) TO \(name)")
      } catch .exists {
        // Another daemon was at it as well, and has come first.
        try await server.run("DROP TABLE \(own)")
      }
    }
  }

  /// A server refuses an insert that makes more than a hundred partitions.
  private static let tagsAtATime = 50

  /// The tags of rows in former tables, committed or not.
  private func formerTags(on server: ClickHouseServer) async throws(ClickHouseError) -> [UInt64] {
    let names = FormerSchema.renames(cluster: address.cluster).map(\.to)
    let partitions = try await server.read(
      """
      SELECT DISTINCT partition FROM system.parts
      WHERE database = \(SQLText.quoted(address.database)) AND active
      AND table IN \(SQLText.list(names))
      """
    ) { row throws(Failure) in try row.text() }
    return partitions.compactMap { UInt64($0) }.sorted()
  }

  private func tables(on server: ClickHouseServer) async throws(ClickHouseError) -> Set<String> {
    Set(
      try await server.read(
        "SELECT name FROM system.tables WHERE database = \(SQLText.quoted(address.database))"
      ) { row throws(Failure) in try row.text() })
  }

  /// Nobody needs the former tables any more. What is left of them after a failure does no harm.
  private func removeFormer(on server: ClickHouseServer) async throws(ClickHouseError) {
    for rename in FormerSchema.renames(cluster: address.cluster) {
      try await server.run("DROP TABLE IF EXISTS \(rename.to)")
    }
  }
}
