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
    let address = try ClickHouseAddress("http://me:pa:ss@a:1,b:2/evidence?cluster=fleet")
    #expect(address.servers == ["a:1", "b:2"])
    #expect(address.user == "me" && address.password == "pa:ss")
    #expect(address.database == "evidence" && address.cluster == "fleet")
    #expect(address.description == "http://a:1,b:2/evidence?cluster=fleet")
  }

  @Test(arguments: [
    "", "db.example", "ftp://x", "http://", "http://a,b", "http://a,,b?cluster=c",
    "http://a/x;y", "http://a?cluster=", "http://a?other=1", "http://a/b/c", "http://a b",
  ])
  func anythingElseIsRefused(text: String) {
    let failure = #expect(throws: Failure.self) { try ClickHouseAddress(text) }
    #expect(failure?.kind == .usage)
  }
}
