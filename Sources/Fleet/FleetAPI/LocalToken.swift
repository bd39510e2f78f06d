import Foundation
import Glibc
import HTTPTransport

/// The token of a firstlightd that listens on loopback and was given no tokens: a file in its state
/// directory that only its own user can read. It keeps what other users and web pages send out.
package enum LocalToken {
  package static let fileName = "local-token"

  /// The token for an address of this machine.
  ///
  /// Another user may have taken the port. So a file counts only if the process that listens at the address
  /// runs as the file's owner: the token is sent to no other user.
  ///
  /// - Returns: nil if the address is another machine's, or there is no token that we may read.
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
    let token = String(decoding: bytes[..<count], as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return token.isEmpty ? nil : token
  }
}
