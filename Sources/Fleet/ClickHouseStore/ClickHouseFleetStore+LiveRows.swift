import FirstlightModel
import FleetModel

/// Selects the rows that answers are made of.
extension ClickHouseFleetStore {
  /// Rows in their last versions, for FROM: of open days those of publishers, of closed ones their sums.
  ///
  /// Leaves out rows that were removed (they may still arrive, or not be deleted yet) and rows that came after
  /// their day was closed.
  /// - Parameters:
  ///   - columns: what is read, beside the key's.
  ///   - condition: of the key's columns.
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

  /// The rows of publishers that a closed day is the sum of, for FROM.
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

  /// Rows without those that were removed.
  private static func kept(_ columns: [String], _ rows: String) -> String {
    """
    (SELECT \(columns.joined(separator: ", ")) FROM (\(rows)) AS r ANY LEFT JOIN (
        SELECT build_id, recorder, max(before) AS gone FROM dropped GROUP BY build_id, recorder
      ) AS d USING (build_id, recorder)
      WHERE NOT (day < gone AND received < gone))
    """
  }

  /// Reads `live` rows, and reads again if a day was closed meanwhile.
  ///
  /// The two SELECTs of a statement may see different moments. If a day is closed in between, it could count
  /// twice or not at all.
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

  /// The `live` rows that all shards answer with.
  func liveRows<Row: Sendable>(
    _ sql: String, allowingGaps gaps: Bool = true,
    _ row: @escaping @Sendable (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    try await ofAll(allowingGaps: gaps) { server throws(Failure) in
      try await self.readLive(sql, on: server, row)
    }.flatMap { $0 }
  }
}
