import FirstlightModel
import HTTPTransport
import NIOSSL

extension TLSFiles {
  /// Fails as `server()`, or with `.data` if certificate and key do not belong together.
  func check() throws(Failure) {
    guard let certificate, let key else { return }
    let settings = try server()
    do { _ = try NIOSSLContext(configuration: settings) } catch {
      throw Failure(
        .data, "\(key): not the private key of the certificate in \(certificate)",
        advice: "use the key that the certificate was issued for")
    }
  }

  /// Settings for a server. With `authorities`, clients have to show a certificate of theirs.
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
