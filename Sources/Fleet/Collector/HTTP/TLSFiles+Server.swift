import FirstlightModel
import Foundation
import HTTPTransport
import NIOSSL

extension TLSFiles {
  /// Throws as `server()`, or `.data` if certificate and key do not match.
  func check() throws(Failure) {
    guard let certificate, let key else { return }
    let settings = try server()
    do { _ = try NIOSSLContext(configuration: settings) } catch {
      throw Failure(
        .data, "\(key): not the private key of the certificate in \(certificate)",
        advice: "use the key that the certificate was issued for")
    }
  }

  /// The TLS settings of a server. With `authorities`, clients need a certificate from one of these.
  /// - Throws: `.noInput` or `.data`, naming the file.
  package func server() throws(Failure) -> TLSConfiguration {
    guard let certificate, let key else {
      throw Failure(.usage, "TLS needs a certificate and its key")
    }
    var settings = TLSConfiguration.makeServerConfiguration(
      certificateChain: try chain(certificate), privateKey: .privateKey(try privateKey(key)))
    settings.minimumTLSVersion = .tlsv12
    if let authorities {
      settings.trustRoots = .certificates(try certificates(authorities))
      settings.certificateVerification = .noHostnameVerification
    }
    return settings
  }

  private func chain(_ path: String) throws(Failure) -> [NIOSSLCertificateSource] {
    try certificates(path).map { .certificate($0) }
  }

  private func certificates(_ path: String) throws(Failure) -> [NIOSSLCertificate] {
    do {
      let certificates = try NIOSSLCertificate.fromPEMFile(path)
      if certificates.isEmpty { throw Failure(.data, "\(path): contains no certificate (PEM)") }
      return certificates
    } catch {
      throw Self.failure(path, "certificate", error)
    }
  }

  private func privateKey(_ path: String) throws(Failure) -> NIOSSLPrivateKey {
    do { return try NIOSSLPrivateKey(file: path, format: .pem) } catch {
      throw Self.failure(path, "private key", error)
    }
  }

  private static func failure(_ path: String, _ noun: String, _ error: any Error) -> Failure {
    (error as? Failure)
      ?? Failure(
        .data, "\(path): cannot be read as a \(noun)", advice: "use a file in PEM format")
  }
}

/// The file of the local token (`LocalToken`). The first daemon of a state directory creates it, and all others
/// use it.
struct LocalTokenFile {
  let path: String

  init(directory: String) { path = "\(directory)/\(LocalToken.fileName)" }

  /// The token. Creates it if necessary.
  /// - Throws: `.cannotCreate` if the file cannot be created, `.data` if the file cannot be trusted.
  func token() throws(Failure) -> String {
    if let token = try known() { return token }
    try make()
    guard let token = try known() else { throw Failure(.cannotCreate, "\(path): was removed") }
    return token
  }

  /// - Returns: nil if the file does not exist.
  private func known() throws(Failure) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw failure("cannot be opened") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_mode & 0o077 == 0
    else {
      throw Failure(
        .data, "\(path): must be a file readable only by this user",
        advice: "remove it and restart firstlightd")
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file, &bytes, bytes.count)
    guard count >= 0 else { throw failure("cannot be read") }
    let token = String(String(decoding: bytes[..<count], as: UTF8.self).trimmed)
    guard TokenFile.isToken(token) else {
      throw Failure(
        .data, "\(path): contains no token", advice: "remove it and restart firstlightd")
    }
    return token
  }

  /// Daemons may start concurrently: the first link wins, and no reader sees an incomplete file.
  private func make() throws(Failure) {
    let temporary = path + ".\(UUID().uuidString)"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure("cannot be created") }
    defer {
      close(file)
      unlink(temporary)
    }
    let line = Array((TokenFile.newToken() + "\n").utf8)
    guard write(file, line, line.count) == line.count, fsync(file) == 0,
      link(temporary, path) == 0 || errno == EEXIST
    else { throw failure("cannot be created") }
  }

  private func failure(_ what: String) -> Failure {
    Failure(
      .cannotCreate, "\(path): \(what): \(ErrorText.of(errno))",
      advice: "start firstlightd with --token-file, or with another XDG_STATE_HOME")
  }
}
