import Testing

@testable import ClickHouseStore

@Suite struct TableSourcesTests {
  private static func sources(_ address: String = "http://a,b/d?cluster=c&replicated") throws
    -> TableSources
  {
    TableSources(
      [
        Replica(shard: "1", name: "1", native: "x:1"),
        Replica(shard: "2", name: "3", native: "y:2"),
      ], of: try ClickHouseAddress(address))
  }

  @Test func tablesAreReadOnTheReplicasThatWereChosen() throws {
    let sources = try Self.sources()
    #expect(
      sources.applied(to: "SELECT runs FROM sums ARRAY JOIN called WHERE day = 1")
        == "SELECT runs FROM remote('x:1,y:2', 'd', 'sums_local') ARRAY JOIN called WHERE day = 1")
    #expect(
      sources.applied(to: "SELECT 1 FROM (SELECT 2 FROM\n  stage) UNION ALL SELECT 3 FROM called")
        == "SELECT 1 FROM (SELECT 2 FROM\n  remote('x:1,y:2', 'd', 'stage_local')) UNION ALL "
        + "SELECT 3 FROM remote('x:1,y:2', 'd', 'called_local')")
  }

  @Test(arguments: [
    "SELECT value FROM system.zookeeper WHERE path = '/x'", "SELECT day FROM horizons",
    "SELECT sums FROM sums_local", "INSERT INTO sums_local (tag) SELECT 1",
    "ALTER TABLE called_local DELETE WHERE tag IN (1)", "SELECT x FROM (SELECT sums, called)",
  ])
  func otherTablesStay(sql: String) throws {
    #expect(try Self.sources().applied(to: sql) == sql)
  }

  /// What a host calls a label must not become SQL.
  @Test(arguments: ["x FROM sums", "' FROM sums", "\\' FROM sums", "\\", "a\\'b FROM called -- "])
  func whatIsQuotedStays(text: String) throws {
    let sql = "SELECT \(SQLText.quoted(text)) AS version, 1 FROM audit"
    #expect(try Self.sources().applied(to: sql) == sql)
  }

  @Test func usersAreNamedWhereTheyHaveTo() throws {
    let sources = try Self.sources("https://me:it's@a,b/d?cluster=c&replicated")
    #expect(
      sources.applied(to: "SELECT 1 FROM stage")
        == "SELECT 1 FROM remoteSecure('x:1,y:2', 'd', 'stage_local', 'me', 'it\\'s')")
  }
}
