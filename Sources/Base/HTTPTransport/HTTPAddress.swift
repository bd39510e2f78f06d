import Foundation

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
