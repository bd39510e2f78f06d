import FirstlightModel
import Foundation
import Glibc
import HTTPTransport
import SystemSupport

/// The token of a firstlightd that listens on loopback without a token file. It is in a file in the state
/// directory that only the daemon's user can read, and keeps out uploads by other users and web pages.
enum LocalToken {
  static let fileName = "local-token"

  /// The token for an address of this machine.
  ///
  /// Another user may have taken the port. So a file counts only if the process that listens at the address
  /// runs as the file's owner: the token is sent to no other user.
  ///
  /// - Returns: nil for an address of another machine, or without a readable token.
  static func find(for url: String) -> String? {
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

/// The directories in which firstlightd keeps its state. The daemon and its clients use them.
enum StatePath {
  /// The directory that systemd creates for the packaged unit.
  static let packaged = "/var/lib/firstlight"

  /// `firstlight` in XDG_STATE_HOME (XDG Base Directory Specification: relative paths are ignored); nil if this
  /// user has no home.
  static var ofThisUser: String? {
    let state = variable("XDG_STATE_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
    let base = state ?? variable("HOME").map { "\($0)/.local/state" }
    return base.map { "\($0)/firstlight" }
  }

  /// The directory that systemd created for this service; nil without one.
  static var ofThisService: String? {
    variable("STATE_DIRECTORY")?.split(at: ":").first.map(String.init)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
