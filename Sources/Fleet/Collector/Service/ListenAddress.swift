import FirstlightModel
import Glibc
import HTTPTransport

/// An address and port to listen on.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: Int

  /// Parses `127.0.0.1:8123`, `[::1]:8123` or `localhost:8123`. Port 0: any free port.
  /// - Throws: `.usage`.
  package init(_ text: String) throws(Failure) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else {
      throw Failure(
        .usage, "\"\(text)\" is not an address and port", advice: "write it as 127.0.0.1:8123")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    self.host = host.isEmpty ? "0.0.0.0" : host
    self.port = Int(port)
  }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool { LoopbackName.contains(host) }

  /// Checks that this process can listen there.
  /// - Throws: `.unavailable` if another program listens there, `.system` if the system refuses.
  func check() throws(Failure) {
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
    defer { if listener >= 0 { close(listener) } }
    var isOn: CInt = 1
    guard listener >= 0,
      setsockopt(
        listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<CInt>.size)) == 0,
      bind(listener, address.ai_addr, address.ai_addrlen) == 0, listen(listener, 1) == 0
    else { throw refusal(errno) }
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

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

enum HTTPAddressCheck {
  static func isInsecureAbroad(_ url: String) -> Bool {
    guard let address = HTTPAddress(url) else { return false }
    return !address.isSecure && !address.isLoopback
  }
}
