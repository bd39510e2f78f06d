import FirstlightModel
import HTTPTransport

/// An address and port to listen on.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  public var host: String
  public var port: Int

  /// From `127.0.0.1:8123`, `[::1]:8123` or `localhost:8123`. Port 0: any that is free.
  /// - Throws: `.usage`.
  public init(_ text: String) throws(Failure) {
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
  public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

enum HTTPAddressCheck {
  static func isInsecureAbroad(_ url: String) -> Bool {
    guard let address = HTTPAddress(url) else { return false }
    return !address.isSecure && !address.isLoopback
  }
}
