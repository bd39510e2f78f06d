import DebugInfo
import Testing

@Suite struct ServerTests {
  @Test func serversAreThoseOfTheVariable() {
    let servers = DebuginfodServer.list("https://a.example/  http://b.example:8002 nonsense")
    #expect(servers.map(\.address) == ["https://a.example", "http://b.example:8002"])
    #expect(servers.map(\.host) == ["a.example", "b.example:8002"])
    #expect(DebuginfodServer.list("").isEmpty)
  }

  /// debuginfod-find(1): the path, else the folder of old in the home, else the user's caches.
  @Test func theCacheIsWhereElfutilsHasIt() {
    func folder(_ variables: [String: String]) -> String? {
      DebuginfodCache.standard { variables[$0] }?.folder
    }
    #expect(folder(["DEBUGINFOD_CACHE_PATH": "/c", "HOME": "/h"]) == "/c")
    #expect(folder(["XDG_CACHE_HOME": "/x", "HOME": "/no/home"]) == "/x/debuginfod_client")
    #expect(folder(["HOME": "/no/home"]) == "/no/home/.cache/debuginfod_client")
    #expect(folder(["HOME": ""]) == nil)
  }
}
