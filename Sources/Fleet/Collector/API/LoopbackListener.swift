import FirstlightModel
import Glibc
import HTTPTransport
import SystemSupport

/// Asks the kernel which users listen on a port of this machine.
enum LoopbackListener {
  /// The users whose sockets may answer at a loopback address; empty if there are none, or if the kernel does
  /// not show them.
  static func users(host: String, port: Int) -> Set<uid_t> {
    let port = ListeningPort(port)
    let v4 = v4Addresses(host)
    let v6 = v6Addresses(host)
    let answering =
      port.listeners(.v4).filter { v4.contains($0.address) }
      + port.listeners(.v6).filter { v6.contains($0.address) }
    return Set(answering.compactMap(\.user))
  }

  private static let anyV4 = [UInt8](repeating: 0, count: 4)
  private static let anyV6 = [UInt8](repeating: 0, count: 16)
  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

  /// The local addresses, in the kernel's form, of sockets that answer a host over IPv4.
  private static func v4Addresses(_ host: String) -> Set<TextBytes> {
    guard let address = v4(host) else { return [] }
    return Set(texts: [text(address), text(anyV4)])
  }

  /// The same for IPv6 sockets, which may accept IPv4 too.
  private static func v6Addresses(_ host: String) -> Set<TextBytes> {
    var addresses = Set(texts: [text(anyV6)])
    if let address = v4(host) {
      addresses.formUnion(Set(texts: [text(mapped + address), text(mapped + anyV4)]))
    }
    if v4(host) == nil || host == "localhost" {
      addresses.insert(text([UInt8](repeating: 0, count: 15) + [1]))
    }
    return addresses
  }

  /// `localhost` may be 127.0.0.1 or ::1.
  private static func v4(_ host: String) -> [UInt8]? {
    var address = in_addr()
    guard inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address) == 1 else {
      return nil
    }
    return withUnsafeBytes(of: address) { Array($0) }
  }

  /// Words of 32 bits in the machine's own order, each as 8 hexadecimal digits.
  private static func text(_ address: [UInt8]) -> String {
    address.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { word in
        let value = bytes.loadUnaligned(fromByteOffset: word * 4, as: UInt32.self)
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
      }.joined()
    }
  }
}
