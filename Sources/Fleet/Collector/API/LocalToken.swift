import FirstlightModel
import Foundation
import Glibc
import HTTPTransport
import SystemSupport

/// The token of a firstlightd that listens on loopback without a token file. It is in a file in the state
/// directory that only the daemon's user can read, and keeps out uploads by other users and web pages.
package enum LocalToken {
  package static let fileName = "local-token"

  /// The token for an address of this machine.
  ///
  /// Another user may have taken the port. So a file counts only if the process that listens at the address
  /// runs as the file's owner: the token is sent to no other user.
  ///
  /// - Returns: nil for an address of another machine, or without a readable token.
  package static func find(for url: String) -> String? {
    guard let address = HTTPAddress(url), address.isLoopback else { return nil }
    let listeners = LoopbackListener.users(host: address.name, port: address.port)
    guard listeners.count == 1, let listener = listeners.first else { return nil }
    for directory in [StatePath.ofThisUser, StatePath.packaged] {
      guard let directory else { continue }
      if let token = read("\(directory)/\(fileName)", of: listener) { return token }
    }
    return nil
  }

  private static func read(_ path: String, of owner: uid_t) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let token = String(String(decoding: bytes[..<count], as: UTF8.self).trimmed)
    return token.isEmpty ? nil : token
  }
}

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

/// The directories in which firstlightd keeps its state. The daemon and its clients use them.
package enum StatePath {
  /// The directory that systemd creates for the packaged unit.
  package static let packaged = "/var/lib/firstlight"

  /// `firstlight` in XDG_STATE_HOME (XDG Base Directory Specification: relative paths are ignored); nil if this
  /// user has no home.
  package static var ofThisUser: String? {
    let state = variable("XDG_STATE_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
    let base = state ?? variable("HOME").map { "\($0)/.local/state" }
    return base.map { "\($0)/firstlight" }
  }

  /// The directory that systemd created for this service; nil without one.
  package static var ofThisService: String? {
    variable("STATE_DIRECTORY")?.split(at: ":").first.map(String.init)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
