import FirstlightModel
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Admits a request if its sender has the needed role. Only a token of the token file can have the role of an
/// administrator; a client certificate or the local token cannot.
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

  /// The refusal by a daemon without a token file.
  private func refusal(token: String?) -> Response? {
    if case .certificates = admission, role == .symbols {
      return Problem.response(
        .forbidden, detail: "a certificate does not permit to name functions",
        advice: "start firstlightd with --token-file, or put binaries below a debug directory")
    }
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

  /// A bearer token, or the password of basic authentication with any user name.
  private static func token(_ header: String?) -> String? {
    guard let (scheme, rest) = header?.cut(at: " ") else { return nil }
    let value = String(rest.trimmed)
    switch scheme.lowercased() {
    case "bearer": return value
    case "basic":
      guard let data = Data(base64Encoded: value) else { return nil }
      let text = String(decoding: data, as: UTF8.self)
      return text.cut(at: ":").map { String($0.behind) }
    default: return nil
    }
  }
}
