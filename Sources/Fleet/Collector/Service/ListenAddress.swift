import FirstlightModel
import Glibc
import HTTPTransport

/// An address and port to listen on.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: Int

  /// Parses `127.0.0.1:8123`, `[::1]:8123` or `localhost:8123`. Port 0: any free port.
  /// - Throws: `.usage`.
  init(_ text: String) throws(Failure) {
    guard let (name, digits) = text.cutLast(at: ":"), let port = UInt16(digits) else {
      throw Failure(
        .usage, "\"\(text)\" is not an address and port", advice: "write it as 127.0.0.1:8123")
    }
    let host = String(name.removing(prefix: "[")?.removing(suffix: "]") ?? name)
    self.host = host.isEmpty ? "0.0.0.0" : host
    self.port = Int(port)
  }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool { LoopbackName.contains(host) }

  /// Listens there. Connections wait until the server accepts them.
  /// - Returns: the socket.
  /// - Throws: `.unavailable` if another program listens there, `.system` if the system refuses.
  func listen() throws(Failure) -> CInt {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &found)
    guard code == 0, let address = found?.pointee else {
      throw Failure(
        .usage,
        "\(self): \(host) is not an address of this machine (\(String(cString: gai_strerror(code))))",
        advice: "listen on 127.0.0.1, or on an address that `ip address` lists")
    }
    defer { freeaddrinfo(found) }
    let listener = socket(
      address.ai_family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var isOn: CInt = 1
    guard listener >= 0,
      setsockopt(
        listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<CInt>.size)) == 0,
      bind(listener, address.ai_addr, address.ai_addrlen) == 0,
      Glibc.listen(listener, Self.backlog) == 0
    else {
      let code = errno
      if listener >= 0 { close(listener) }
      throw refusal(code)
    }
    return listener
  }

  /// The most connections that wait.
  private static let backlog: CInt = 256

  /// The port that a socket has, which the system chose if port 0 was wanted.
  static func port(of socket: CInt) -> Int? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      guard let base = bytes.baseAddress,
        getsockname(socket, base.assumingMemoryBound(to: sockaddr.self), &size) == 0
      else { return nil }
      // The port is in the same place for IPv4 and IPv6.
      return Int(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  private func refusal(_ code: CInt) -> Failure {
    switch code {
    case EADDRINUSE:
      Failure(
        .unavailable, "\(self): already in use by another program",
        advice: "stop that program, or choose another port with --listen")
    case EADDRNOTAVAIL:
      Failure(
        .usage, "\(self): not an address of this machine",
        advice: "listen on 127.0.0.1, or on an address that `ip address` lists")
    case EACCES:
      Failure(
        .system, "\(self): permission denied for this port",
        advice: "choose a port of 1024 or more")
    default:
      Failure(.system, "\(self): cannot listen: \(ErrorText.of(code))")
    }
  }

  package var description: String {
    host.containsUTF8(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
