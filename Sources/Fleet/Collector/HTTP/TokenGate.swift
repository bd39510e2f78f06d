import FirstlightModel
import FleetAPI
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import SystemSupport

/// Knows which tokens there are, also when the file changes meanwhile.
final class TokenGate: Sendable {
  private struct State {
    var identity: FileIdentity?
    /// By the token's hash.
    var entries: [String: TokenEntry] = [:]
  }

  private let file: TokenFile
  private let state: Mutex<State>

  /// - Throws: `Failure` if the file cannot be read.
  init(file: TokenFile) throws(Failure) {
    self.file = file
    state = Mutex(State())
    let entries = try file.entries()
    let identity = FileIdentity(file.path)
    state.withLock { $0 = State(identity: identity, entries: Self.byHash(entries)) }
  }

  /// What is known of a token; nil if it is none. Tokens are compared by their hashes, so the time it takes
  /// tells nothing of them.
  func entry(of token: String) -> TokenEntry? {
    let identity = FileIdentity(file.path)
    return state.withLock { state in
      if identity != state.identity, let entries = try? file.entries() {
        state = State(identity: identity, entries: Self.byHash(entries))
      }
      return state.entries[TokenFile.hash(token)]
    }
  }

  private static func byHash(_ entries: [TokenEntry]) -> [String: TokenEntry] {
    Dictionary(entries.map { ($0.hash, $0) }, uniquingKeysWith: { first, _ in first })
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

/// Lets a request through if whoever sends it may do that. Only a token of a file makes an administrator:
/// what lets producers send does not.
struct AdmissionMiddleware: RouterMiddleware {
  let admission: Admission
  let role: TokenRole

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let token = Self.token(request.headers[.authorization])
    guard case .tokens(let gate) = admission else {
      if let refusal = refusal(token: token) { return refusal }
      return try await next(request, context)
    }
    let entry = token.flatMap(gate.entry)
    if let refusal = refusal(token: token, entry: entry) { return refusal }
    var context = context
    context.token = entry
    return try await next(request, context)
  }

  /// Of a daemon without a file of tokens.
  private func refusal(token: String?) -> Response? {
    if role == .admin {
      return Problem.response(
        .forbidden, detail: "this daemon has no administrators",
        advice: "start firstlightd with --token-file, or use the store on its machine: "
          + "firstlight fleet forget --from sqlite:PATH")
    }
    switch admission {
    case .certificates, .tokens: return nil
    case .local(let hash):
      if role == .read { return nil }
      if let token, TokenFile.hash(token) == hash { return nil }
      return Problem.response(
        .unauthorized,
        detail: token == nil ? "no token was given" : "the token is not this daemon's local token",
        advice:
          "run firstlight as the user of firstlightd, or set FIRSTLIGHT_TOKEN to the content of "
          + "\(LocalToken.fileName) in the daemon's state directory")
    case .askingOnly:
      if role == .read { return nil }
      return Problem.response(
        .forbidden, detail: "this daemon has no state directory for a local token",
        advice: "start firstlightd with --token-file")
    }
  }

  private func refusal(token: String?, entry: TokenEntry?) -> Response? {
    guard token != nil else {
      return Problem.response(
        .unauthorized, detail: "no token was given",
        advice: "send Authorization: Bearer TOKEN, or set FIRSTLIGHT_TOKEN")
    }
    guard let entry else {
      return Problem.response(
        .unauthorized, detail: "the token is unknown or was revoked",
        advice: "create one with firstlightd token add, and set FIRSTLIGHT_TOKEN to it")
    }
    if entry.role.allows(role) { return nil }
    return Problem.response(
      .forbidden,
      detail:
        "the token has the role \(entry.role.rawValue), this request requires \(role.rawValue)")
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
