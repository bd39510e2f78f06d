import FirstlightModel
import FleetAPI
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Knows which tokens there are, also when the file changes meanwhile.
final class TokenGate: Sendable {
  private struct State {
    var changedAt: Double = 0
    var roles: [String: TokenRole] = [:]
  }

  private let file: TokenFile
  private let state: Mutex<State>

  /// - Throws: `Failure` if the file cannot be read.
  init(file: TokenFile) throws(Failure) {
    self.file = file
    state = Mutex(State())
    let entries = try file.entries()
    let changedAt = Self.changeTime(file.path)
    state.withLock { $0 = State(changedAt: changedAt, roles: Self.roles(entries)) }
  }

  /// The role of a token; nil if it is none. Tokens are compared by their hashes, so the time it takes
  /// tells nothing of them.
  func role(of token: String) -> TokenRole? {
    let changedAt = Self.changeTime(file.path)
    return state.withLock { state in
      if changedAt != state.changedAt, let entries = try? file.entries() {
        state = State(changedAt: changedAt, roles: Self.roles(entries))
      }
      return state.roles[TokenFile.hash(token)]
    }
  }

  private static func roles(_ entries: [TokenEntry]) -> [String: TokenRole] {
    Dictionary(entries.map { ($0.hash, $0.role) }, uniquingKeysWith: { first, _ in first })
  }

  private static func changeTime(_ path: String) -> Double {
    var status = stat()
    guard stat(path, &status) == 0 else { return -1 }
    // The file is replaced whole, so its inode changes even within one tick of the clock.
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
      + Double(status.st_ino & 0xffff)
  }
}

/// Who may ask a daemon, and who may send to it.
enum Admission: Sendable {
  /// Who has a token of the file, for what its role says.
  case tokens(TokenGate)
  /// Who shows a certificate, which TLS has asked for before: both.
  case certificates
  /// Everybody on this machine may ask; who has its local token may send. The token itself is not kept.
  case local(hash: String)
  /// Everybody on this machine may ask. Nobody may send, as there is no place for a local token.
  case askingOnly
}

/// Lets a request through if whoever sends it may do that.
struct AdmissionMiddleware: RouterMiddleware {
  let admission: Admission
  let role: TokenRole

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    if let refusal = refusal(token: Self.token(request.headers[.authorization])) { return refusal }
    return try await next(request, context)
  }

  private func refusal(token: String?) -> Response? {
    switch admission {
    case .certificates: return nil
    case .tokens(let gate): return refusal(token: token, gate: gate)
    case .local(let hash):
      if role == .read { return nil }
      if let token, TokenFile.hash(token) == hash { return nil }
      return Problem.response(
        .unauthorized,
        detail: token == nil ? "no token was given" : "the token is not this daemon's local token",
        advice: "run firstlight as the user who runs firstlightd, or set FIRSTLIGHT_TOKEN to what "
          + "\(LocalToken.fileName) in the daemon's state directory holds")
    case .askingOnly:
      if role == .read { return nil }
      return Problem.response(
        .forbidden, detail: "this daemon has no state directory for a local token",
        advice: "start firstlightd with --token-file")
    }
  }

  private func refusal(token: String?, gate: TokenGate) -> Response? {
    guard let token else {
      return Problem.response(
        .unauthorized, detail: "no token was given",
        advice: "send Authorization: Bearer TOKEN, or set FIRSTLIGHT_TOKEN")
    }
    guard let known = gate.role(of: token) else {
      return Problem.response(
        .unauthorized, detail: "the token is not known, or was revoked",
        advice: "set FIRSTLIGHT_TOKEN to one that firstlightd token add has made")
    }
    if known.allows(role) { return nil }
    return Problem.response(
      .forbidden, detail: "the token is for \(known.rawValue), this takes \(role.rawValue)")
  }

  /// A bearer token, or the password of browsers' own log-in, whatever the user's name.
  private static func token(_ header: String?) -> String? {
    guard let header, let blank = header.firstIndex(of: " ") else { return nil }
    let value = header[header.index(after: blank)...].trimmingCharacters(in: .whitespaces)
    switch header[..<blank].lowercased() {
    case "bearer": return value
    case "basic":
      guard let data = Data(base64Encoded: value) else { return nil }
      let text = String(decoding: data, as: UTF8.self)
      return text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) }
    default: return nil
    }
  }
}
