import FirstlightModel
import FleetModel

/// Looks up which versions of rows are there.
extension ClickHouseFleetStore {
  package func versions(
    of publisher: PublisherID, _ rows: [(key: StateKey, version: UInt64)]
  ) async throws -> [UInt64?] {
    let keys = rows.map { PublishedRow.Key(publisher: publisher.description, state: $0.key) }
    let shards = try await servers.shards()
    let shard = shards[Self.shard(of: publisher, of: shards.count)]
    let (openDay, known) = try await on(shard) { server throws(Failure) in
      let rules = try await self.rules(for: [], FleetDay(number: 0), server)
      let open = keys.filter { !Self.isClosed($0.state.day, rules.firstOpenDay) }
      return (rules.firstOpenDay, try await self.versions(open, server))
    }
    return zip(keys, rows).map { key, row in
      Self.isClosed(key.state.day, openDay) ? row.version : known[key]
    }
  }

  private static func isClosed(_ day: FleetDay, _ firstOpenDay: FleetDay) -> Bool {
    day < firstOpenDay && day != .undated
  }

  /// How many rows one statement asks for.
  private static let keysAtATime = 2000

  /// - Complexity: a look in the primary key for each row.
  func versions(
    _ keys: [PublishedRow.Key], _ server: ClickHouseServer
  ) async throws(Failure) -> [PublishedRow.Key: UInt64] {
    let columns = "\(SQLText.stateKey), publisher"
    var versions: [PublishedRow.Key: UInt64] = [:]
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
          PublishedRow.Key(publisher: try row.text(), state: key), try row.integer(UInt64.self)
        )
      }
      versions.merge(rows) { max($0, $1) }
    }
    return versions
  }
}
