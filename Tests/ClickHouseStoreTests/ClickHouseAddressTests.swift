import ClickHouseStore
import FirstlightModel
import Testing

@Suite struct ClickHouseAddressTests {
  @Test func oneServerIsEnough() throws {
    let address = try ClickHouseAddress("http://db.example")
    #expect(address.servers == ["db.example:8123"])
    #expect(address.database == "firstlight" && address.cluster == nil && !address.isSecure)
    #expect(try ClickHouseAddress("https://db.example/").servers == ["db.example:8443"])
    #expect(try ClickHouseAddress("http://[::1]/x").servers == ["[::1]:8123"])
    #expect(try ClickHouseAddress("http://[::1]:1/x").servers == ["[::1]:1"])
  }

  @Test func aClusterNamesAllItsServers() throws {
    let address = try ClickHouseAddress("https://me:pa:ss@a:1,b:2/evidence?cluster=fleet")
    #expect(address.servers == ["a:1", "b:2"])
    #expect(address.user == "me" && address.password == "pa:ss")
    #expect(address.database == "evidence" && address.cluster == "fleet")
    #expect(address.description == "https://a:1,b:2/evidence?cluster=fleet")
  }

  @Test func aClusterMayHaveReplicas() throws {
    let address = try ClickHouseAddress("http://a,b,c,d/x?cluster=fleet&replicated")
    #expect(address.isReplicated && address.cluster == "fleet" && address.servers.count == 4)
    #expect(address.description == "http://a:8123,b:8123,c:8123,d:8123/x?cluster=fleet&replicated")
    #expect(try !ClickHouseAddress("http://a,b?cluster=fleet").isReplicated)
  }

  @Test func aPasswordGoesInTheClearToThisMachineOnly() throws {
    for text in ["http://me:x@127.0.0.1", "http://me:x@[::1]:1", "http://me@db", "https://me:x@db"]
    {
      _ = try ClickHouseAddress(text)
    }
    for text in ["http://me:x@db", "http://me:x@127.0.0.1,db?cluster=c", "http://me:x@127.db"] {
      let failure = #expect(throws: Failure.self) { try ClickHouseAddress(text) }
      #expect(failure?.problem.contains("unencrypted over the network") == true)
    }
    let failure = #expect(throws: Failure.self) {
      try ClickHouseAddress("https://me:x@db", isArgument: true)
    }
    #expect(failure?.problem.contains("command line") == true)
  }

  @Test(arguments: [
    "", "db.example", "ftp://x", "http://", "http://a,b", "http://a,,b?cluster=c",
    "http://a/x;y", "http://a?cluster=", "http://a?other=1", "http://a/b/c", "http://a b",
    "http://a?replicated", "http://a?cluster=c&x",
  ])
  func anythingElseIsRefused(text: String) {
    let failure = #expect(throws: Failure.self) { try ClickHouseAddress(text) }
    #expect(failure?.kind == .usage)
  }
}
