import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// Tells browsers what an answer is not: a script, a part of another page, something to keep.
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

/// What a page may load and do (Content Security Policy): everything of ours is in the page itself.
enum ContentPolicy {
  private static let common = "frame-ancestors 'none'; base-uri 'none'"

  /// Of what is no page of ours.
  static let nothing = "default-src 'none'; form-action 'none'; " + common

  static let page =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; " + common

  /// Of a page with the very script of this text, and no other.
  static func page(script: String) -> String {
    let digest = Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString()
    return "default-src 'none'; style-src 'unsafe-inline'; "
      + "script-src 'sha256-\(digest)'; form-action 'none'; " + common
  }
}
