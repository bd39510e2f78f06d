import FirstlightModel
import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird

/// Prevents pages of other sites from using a browser on this machine to send requests to the daemon.
struct ForeignPageMiddleware: RouterMiddleware {
  /// Whether the host has to be a name of this machine. Otherwise a page whose own name resolves to 127.0.0.1
  /// (DNS rebinding) could read all that needs no token. A daemon with tokens may have any name.
  let checksHost: Bool

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    // The first Host line is the authority; further ones stay among the fields.
    guard let host = request.head.authority, Self.isHost(host),
      Self.hostLine.map({ !request.headers.contains($0) }) ?? true
    else {
      return Problem.response(
        .badRequest, detail: "the request does not have one valid Host line",
        advice: "send Host: NAME or Host: NAME:PORT, once")
    }
    if checksHost, !LoopbackName.contains(Self.withoutPort(host)) {
      return Problem.response(
        .misdirectedRequest, detail: "the request is for another host",
        advice: "use 127.0.0.1 or localhost, or start firstlightd with --token-file")
    }
    // Browsers send `Origin` with every POST, and with every request that is not a plain visit.
    if let origin = request.headers[.origin], !Self.isOrigin(origin, of: host) {
      return Problem.response(
        .forbidden, detail: "the request comes from a page of another site",
        advice: "send it with firstlight or curl")
    }
    return try await next(request, context)
  }

  private static let hostLine = HTTPField.Name("Host")

  /// Whether a text is a host, with a port or without (RFC 9112, section 3.2).
  private static func isHost(_ text: String) -> Bool {
    guard let url = URLComponents(string: "http://\(text)", encodingInvalidCharacters: false),
      let host = url.host, !host.isEmpty
    else { return false }
    return url.user == nil && url.password == nil && url.path.isEmpty && url.query == nil
      && url.fragment == nil
  }

  private static func withoutPort(_ authority: String) -> String {
    guard let (host, port) = authority.cutLast(at: ":"), port.utf8.allSatisfy(\.isASCIIDigit)
    else { return authority }
    return String(host)
  }

  /// Whether the page's origin is `http://HOST` or `https://HOST`.
  private static func isOrigin(_ origin: String, of host: String) -> Bool {
    guard let authority = origin.cut(at: "://")?.behind else { return false }
    return !host.isEmpty && authority.lowercased() == host.lowercased()
  }
}

/// Requires a media type that HTML forms cannot send. A browser then asks for permission first (CORS), and gets
/// no answer.
struct MediaTypeMiddleware: RouterMiddleware {
  let expected: String

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let type = request.headers[.contentType]?.prefix(upToAny: ";").trimmed.lowercased()
    guard type == expected else {
      return Problem.response(
        .unsupportedMediaType,
        detail: type.map { "Content-Type \"\($0)\" is not accepted here" } ?? "no Content-Type",
        advice: "send Content-Type: \(expected)")
    }
    return try await next(request, context)
  }
}

/// Adds headers that forbid browsers to run an answer as a script, to embed it or to store it.
struct SecurityHeadersMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for (name, value) in Self.headers where response.headers[name] == nil {
      response.headers[name] = value
    }
    return response
  }

  private static let headers: [(HTTPField.Name, String)] =
    [(.contentSecurityPolicy, ContentPolicy.nothing)]
    + [
      ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
}

/// The resources and actions that a page may use (Content Security Policy). All of ours are inside the page.
enum ContentPolicy {
  private static let common = "frame-ancestors 'none'; base-uri 'none'"

  /// For answers that are no pages of ours.
  static let nothing = "default-src 'none'; form-action 'none'; " + common

  static let page =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; " + common

  /// For the page of `DeadFormat.html`, by the SHA-256 of its script. A test compares it.
  static let deadPage =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(deadPageScript)'; "
    + "form-action 'none'; " + common

  static let deadPageScript = "RYKmLbUzbz66huvj6CKCg+DC2o5c8NYwmOJoS8KVt7U="
}
