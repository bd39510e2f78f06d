import Foundation
import Glibc

/// An address of HTTP, taken apart for what we say and decide.
package struct HTTPAddress: Hashable, Sendable {
  package var isSecure: Bool
  /// With its port, if it names one.
  package var host: String
  /// Without port and brackets.
  package var name: String
  package var port: Int
  /// Whether it is this machine's own.
  package var isLoopback: Bool

  /// Nil if the text is not an http or https address.
  package init?(_ text: String) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
    else { return nil }
    isSecure = scheme == "https"
    self.host = parts.port.map { "\(host):\($0)" } ?? host
    port = parts.port ?? (isSecure ? 443 : 80)
    name = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    isLoopback = LoopbackName.contains(name)
  }
}

/// Names and addresses that lead to this machine and to no other.
package enum LoopbackName {
  /// - Parameter host: without a port; an IPv6 address with brackets or without.
  /// - Returns: true for `localhost`, an IPv4 address in 127.0.0.0/8, `::1`. A name that only looks like one,
  ///   such as `127.example.com`, may lead anywhere.
  package static func contains(_ host: String) -> Bool {
    if host.lowercased() == "localhost" { return true }
    var v4 = in_addr()
    if inet_pton(AF_INET, host, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
    var bare = host[...]
    if bare.hasPrefix("["), bare.hasSuffix("]") { bare = bare.dropFirst().dropLast() }
    var v6 = in6_addr()
    guard inet_pton(AF_INET6, String(bare), &v6) == 1 else { return false }
    return withUnsafeBytes(of: v6) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
