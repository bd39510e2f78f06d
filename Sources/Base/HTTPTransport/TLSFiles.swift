import FirstlightModel
import NIOSSL

/// Names of the PEM files that a connection is secured with. The only user of NIOSSL.
package struct TLSFiles: Hashable, Sendable {
  /// A certificate, followed by those of its issuers.
  package var certificate: String?
  package var key: String?
  /// Certificates of those who may issue the other side's; nil: as the system trusts.
  package var authorities: String?

  package init(certificate: String? = nil, key: String? = nil, authorities: String? = nil) {
    self.certificate = certificate
    self.key = key
    self.authorities = authorities
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

  /// Settings for a client; a certificate is shown if there is one.
  /// - Throws: `.noInput` or `.data`, naming the file.
  package func client() throws(Failure) -> TLSConfiguration {
    var settings = TLSConfiguration.makeClientConfiguration()
    settings.minimumTLSVersion = .tlsv12
    if let authorities { settings.trustRoots = .certificates(try certificates(authorities)) }
    if let certificate, let key {
      settings.certificateChain = try chain(certificate)
      settings.privateKey = .privateKey(try privateKey(key))
    }
    return settings
  }

  private func chain(_ path: String) throws(Failure) -> [NIOSSLCertificateSource] {
    try certificates(path).map { .certificate($0) }
  }

  private func certificates(_ path: String) throws(Failure) -> [NIOSSLCertificate] {
    do {
      let certificates = try NIOSSLCertificate.fromPEMFile(path)
      if certificates.isEmpty { throw Failure(.data, "\(path): holds no certificate (PEM)") }
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
        .data, "\(path): cannot be read as a \(noun)", advice: "name a file in PEM format")
  }
}
