import FirstlightModel
import Glibc

/// Paths of the PEM files for a TLS connection.
package struct TLSFiles: Hashable, Sendable {
  /// The certificate, followed by its issuers'.
  package var certificate: String?
  package var key: String?
  /// Trusted certificate authorities for the other side; nil for those of the system.
  package var authorities: String?

  package init(certificate: String? = nil, key: String? = nil, authorities: String? = nil) {
    self.certificate = certificate
    self.key = key
    self.authorities = authorities
  }

  /// Reports a problem with a file before the file is needed.
  /// - Throws: `.noInput` or `.data`, naming the file.
  package func check() throws(Failure) {
    for path in [certificate, authorities] {
      if let path { try Self.check(path, holds: "CERTIFICATE-----", noun: "certificate") }
    }
    if let key { try Self.check(key, holds: "PRIVATE KEY-----", noun: "private key") }
  }

  private static func check(_ path: String, holds word: String, noun: String) throws(Failure) {
    guard let file = fopen(path, "re") else {
      throw Failure(.noInput, "\(path): \(ErrorText.of(errno))")
    }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.begins(with: "-----BEGIN "), text.containsUTF8(word) { return }
    }
    throw Failure(
      .data, "\(path): cannot be read as a \(noun)", advice: "use a file in PEM format")
  }
}
