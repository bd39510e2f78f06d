import Glibc

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
