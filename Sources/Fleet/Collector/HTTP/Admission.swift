import FirstlightModel
import Logging

/// Who may ask a daemon, and who may send to it.
enum Admission: Sendable {
  /// Who has a token of the file, for what its role says.
  case tokens(TokenGate)
  /// Who shows a certificate, which TLS has asked for before: both.
  case certificates
  /// Everybody on this machine may ask; who has its local token may send. The token itself is not kept.
  case local(hash: String)
  /// Everybody on this machine may ask. Sending is refused, as there is no place for a local token.
  case askingOnly

  /// Without a file of tokens and without certificates of clients, only this machine reaches us
  /// (`DaemonConfiguration.check`), and its local token says who may send.
  /// - Throws: `Failure` if the token file cannot be used, the local token's too.
  init(_ configuration: DaemonConfiguration, logger: Logger) throws(Failure) {
    if let path = configuration.tokenFile {
      self = .tokens(try TokenGate(file: TokenFile(path: path), logger: logger))
      return
    }
    if configuration.tls.authorities != nil {
      self = .certificates
      return
    }
    let directory: String
    do { directory = try StateDirectory.made() } catch {
      logger.warning(
        "clients cannot send to this daemon: no state directory for a local token",
        metadata: ["reason": "\(error.problem)"])
      self = .askingOnly
      return
    }
    self = .local(hash: TokenFile.hash(try LocalTokenFile(directory: directory).token()))
  }

  /// - Throws: `Failure` if the token file has a mistake, or cannot be read.
  func check() throws(Failure) {
    if case .tokens(let gate) = self { try gate.check() }
  }
}
