import Glibc

/// One GET to a server on this machine, to see when it answers.
struct ReadinessRequest {
  let port: Int
  let path: String

  /// Connects and sends the request.
  ///
  /// - Returns: the connection, which the caller must close; -1 if nothing listens.
  func connect() -> Int32 {
    connect(
      AF_INET,
      sockaddr_in(
        sin_family: sa_family_t(AF_INET), sin_port: in_port_t(port).bigEndian,
        sin_addr: in_addr(s_addr: UInt32(INADDR_LOOPBACK).bigEndian),
        sin_zero: (0, 0, 0, 0, 0, 0, 0, 0)))
      ?? connect(
        AF_INET6,
        sockaddr_in6(
          sin6_family: sa_family_t(AF_INET6), sin6_port: in_port_t(port).bigEndian,
          sin6_flowinfo: 0, sin6_addr: in6addr_loopback, sin6_scope_id: 0))
      ?? -1
  }

  private func connect<Address>(_ family: Int32, _ address: Address) -> Int32? {
    let connection = socket(
      family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), Int32(IPPROTO_TCP))
    guard connection >= 0 else { return nil }
    let connected = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
    // On loopback, a connection is accepted or refused at once, and a line fits its buffer.
    guard connected == 0,
      send(connection, request, request.utf8.count, Int32(MSG_NOSIGNAL))
        == request.utf8.count
    else {
      close(connection)
      return nil
    }
    return connection
  }

  /// The status of the answer, from a readable connection; 0 if it is not HTTP, nil if the
  /// connection ended without an answer.
  func answer(on connection: Int32) -> Int? {
    var line = [UInt8](repeating: 0, count: 64)
    let count = recv(connection, &line, line.count, 0)
    guard count > 0 else { return nil }
    // "HTTP/1.1 200 OK" (RFC 9112, 4)
    let words = line.prefix(count).split(separator: 0x20)
    guard words.count > 1, words[0].starts(with: "HTTP/".utf8) else { return 0 }
    return Int(String(decoding: words[1].prefix(3), as: UTF8.self)) ?? 0
  }
}
