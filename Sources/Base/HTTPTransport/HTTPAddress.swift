import FirstlightModel
import Foundation
import Glibc

/// The parts of an HTTP address.
package struct HTTPAddress: Hashable, Sendable {
  package var isSecure: Bool
  /// The host with its port, if the address has one.
  package var host: String
  /// The host without port and brackets.
  package var name: String
  package var port: Int
  /// Whether the address is a loopback address.
  package var isLoopback: Bool

  /// Nil if the text is not an http or https address.
  package init?(_ text: String) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
    else { return nil }
    isSecure = scheme == "https"
    self.host = parts.port.map { "\(host):\($0)" } ?? host
    port = parts.port ?? (isSecure ? 443 : 80)
    name = String(host.removing(prefix: "[")?.removing(suffix: "]") ?? host[...])
    isLoopback = LoopbackName.contains(name)
  }
}

/// Names and addresses that always mean this machine.
package enum LoopbackName {
  /// - Parameter host: without a port; an IPv6 address with brackets or without.
  /// - Returns: true for `localhost`, an IPv4 address in 127.0.0.0/8, `::1`. A similar name, such
  ///   as `127.example.com`, may resolve to any machine.
  package static func contains(_ host: String) -> Bool {
    if host.lowercased() == "localhost" { return true }
    var v4 = in_addr()
    if inet_pton(AF_INET, host, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
    let bare = host.removing(prefix: "[")?.removing(suffix: "]") ?? host[...]
    var v6 = in6_addr()
    guard inet_pton(AF_INET6, String(bare), &v6) == 1 else { return false }
    return withUnsafeBytes(of: v6) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
