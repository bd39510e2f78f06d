import FirstlightModel
import FleetModel

/// Selects the rows that answers use.
extension ClickHouseFleetStore {
  /// A FROM clause for the latest versions of rows: publishers' rows of open days, sums of closed days.
  ///
  /// Excludes removed rows (which may still arrive, or still await deletion) and rows that arrived
  /// after their day was closed.
  /// - Parameters:
  ///   - columns: columns to read, beside the key's.
  ///   - condition: a condition on the key's columns.
  static func live(_ columns: [String], where condition: String = "1") -> String {
    let all = rowColumns + columns
    return kept(
      all,
      """
      \(published(all, where: "(\(condition)) AND day NOT IN (SELECT day FROM closed_days)"))
      UNION ALL
      SELECT \(all.joined(separator: ", ")) FROM closed FINAL
      WHERE (\(condition)) AND day IN (SELECT day FROM closed_days)
      """)
  }

  /// A FROM clause for the publishers' rows that a closed day sums up.
  static func published(_ columns: [String], of day: FleetDay) -> String {
    kept(
      rowColumns + columns, published(rowColumns + columns, where: "day = \(SQLText.day(day))"))
  }

  private static let rowColumns = [
    "build_id", "recorder", "guards", "day", "version", "labels", "publisher", "received",
  ]

  private static func published(_ columns: [String], where condition: String) -> String {
    "SELECT \(columns.joined(separator: ", ")) FROM sums FINAL WHERE \(condition)"
  }

  /// Rows except those that were removed.
  private static func kept(_ columns: [String], _ rows: String) -> String {
    """
    (SELECT \(columns.joined(separator: ", ")) FROM (\(rows)) AS r ANY LEFT JOIN (
        SELECT build_id, recorder, max(before) AS gone FROM dropped GROUP BY build_id, recorder
      ) AS d USING (build_id, recorder)
      WHERE NOT (day < gone AND received < gone))
    """
  }

  /// Reads `live` rows, and repeats the read if a day was closed meanwhile.
  ///
  /// The two SELECTs of a statement may see different states. A day that is closed in between could
  /// count twice or not at all.
  func readLive<Row>(
    _ sql: String, on server: ClickHouseServer, _ row: (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    var before = try await closedDays(server)
    for _ in 0..<20 {
      let rows = try await server.read(sql, row)
      let now = try await closedDays(server)
      if now == before { return rows }
      before = now
    }
    throw Failure(.unavailable, "\(server.name): days are closed too fast to be read")
  }

  private func closedDays(_ server: ClickHouseServer) async throws(Failure) -> UInt64 {
    try await server.read("SELECT uniqExact(day) FROM closed_days") { row throws(Failure) in
      try row.integer(UInt64.self)
    }.first ?? 0
  }

  /// The `live` rows of all shards.
  func liveRows<Row: Sendable>(
    _ sql: String, allowingGaps gaps: Bool = true,
    _ row: @escaping @Sendable (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    try await ofAll(allowingGaps: gaps) { server throws(Failure) in
      try await self.readLive(sql, on: server, row)
    }.flatMap { $0 }
  }
}

/// Looks up the stored versions of rows.
extension ClickHouseFleetStore {
  package func versions(
    of publisher: PublisherID, _ rows: [(key: StateKey, version: RowVersion)]
  ) async throws -> [RowVersion?] {
    let keys = rows.map { PublishedRow.Key(publisher: publisher.description, state: $0.key) }
    let shards = try await servers.shards()
    let shard = shards[Self.shard(of: publisher, of: shards.count)]
    let (rules, known) = try await on(shard) { server throws(Failure) in
      let rules = try await self.rules(
        for: Set(rows.map(\.key.build)), FleetDay(number: 0), server)
      let open = keys.filter { !rules.isClosed($0.state.day) }
      return (rules, try await self.versions(open, server))
    }
    return zip(keys, rows).map { key, row in
      let isGone = rules.wasRemoved(key.state, stored: known[key], follows: row.version)
      return rules.isClosed(key.state.day) || isGone ? row.version : known[key]
    }
  }

  /// Number of rows in one statement.
  private static let keysAtATime = 2000

  /// - Complexity: one look-up in the primary key for each row.
  func versions(
    _ keys: [PublishedRow.Key], _ server: ClickHouseServer
  ) async throws(Failure) -> [PublishedRow.Key: RowVersion] {
    let columns = "\(SQLText.stateKey), publisher"
    var versions: [PublishedRow.Key: RowVersion] = [:]
    for start in stride(from: 0, to: keys.count, by: Self.keysAtATime) {
      let tuples = keys[start..<min(keys.count, start + Self.keysAtATime)].map { key in
        "\(SQLText.values(key.state)),\(SQLText.quoted(key.publisher))"
      }
      let rows = try await server.read(
        """
        SELECT \(columns), max(row_version) FROM sums
        WHERE \(SQLText.isIn("(\(columns))", tuples)) GROUP BY \(columns)
        """
      ) { row throws(Failure) in
        let key = try row.stateKey()
        return (
          PublishedRow.Key(publisher: try row.text(), state: key),
          RowVersion(rawValue: try row.integer(UInt64.self))
        )
      }
      versions.merge(rows) { max($0, $1) }
    }
    return versions
  }
}
