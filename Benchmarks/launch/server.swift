// A server on Swift's concurrency: tasks of a group load its parts, then it listens on the port given.
import Glibc

struct Route: Sendable {
  var path: String
  var words: [String]
}

@inline(never) func load(_ number: Int) async -> [Route] {
  (0..<400).map { index in
    let path = "/part/\(number)/item/\(index)"
    return Route(path: path, words: path.split(separator: "/").map(String.init))
  }
}

actor Router {
  private var routes: [String: Route] = [:]
  func add(_ new: [Route]) { for route in new { routes[route.path] = route } }
  var count: Int { routes.count }
}

@inline(never) func listen(_ port: UInt16) -> CInt {
  let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  var yes: CInt = 1
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let bound = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  precondition(bound == 0 && Glibc.listen(listener, 16) == 0)
  return listener
}

@main enum Server {
  static func main() async {
    let router = Router()
    await withTaskGroup(of: [Route].self) { group in
      for number in 0..<8 { group.addTask { await load(number) } }
      for await routes in group { await router.add(routes) }
    }
    let count = await router.count
    let listener = listen(UInt16(CommandLine.arguments[1])!)
    print("\(count) routes")
    while true { close(accept(listener, nil, nil)) }
  }
}
