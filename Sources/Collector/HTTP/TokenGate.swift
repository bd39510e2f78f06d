import FirstlightModel
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

/// Lets a request through if its token's role may do that.
struct TokenMiddleware: RouterMiddleware {
  /// Nil: the daemon has no tokens, and only this machine can reach it.
  let gate: TokenGate?
  let role: TokenRole

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    guard let gate else { return try await next(request, context) }
    guard let token = Self.token(request.headers[.authorization]) else {
      return Problem.response(
        .unauthorized, detail: "no token was given",
        advice: "send Authorization: Bearer TOKEN, or set FIRSTLIGHT_TOKEN")
    }
    guard let known = gate.role(of: token) else {
      return Problem.response(.unauthorized, detail: "the token is not known, or was revoked")
    }
    guard known.allows(role) else {
      return Problem.response(
        .forbidden, detail: "the token is for \(known.rawValue), this takes \(role.rawValue)")
    }
    return try await next(request, context)
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
