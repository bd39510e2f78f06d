import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird

/// Keeps pages of other sites from using a browser on this machine to speak to the daemon.
struct ForeignPageMiddleware: RouterMiddleware {
  /// Whether only names of this machine may lead here. A page whose own name is made to lead to
  /// 127.0.0.1 (DNS rebinding) may read whatever needs no token; a daemon with tokens may have any name.
  let checksHost: Bool

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    // The first Host line is the authority, further ones are left among the fields.
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
    // Browsers send it with whatever is not a plain visit, and always with a POST.
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
    guard let colon = authority.lastIndex(of: ":"),
      authority[colon...].dropFirst().allSatisfy(\.isNumber), !authority.hasSuffix("]")
    else { return authority }
    return String(authority[..<colon])
  }

  /// Whether `http://HOST` or `https://HOST` is what the page says it is of.
  private static func isOrigin(_ origin: String, of host: String) -> Bool {
    guard let slashes = origin.firstRange(of: "://") else { return false }
    return !host.isEmpty && origin[slashes.upperBound...].lowercased() == host.lowercased()
  }
}

/// Asks for a media type that no form of a web page has, so that a browser asks first (CORS) and is not
/// answered.
struct MediaTypeMiddleware: RouterMiddleware {
  let expected: String

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let type = request.headers[.contentType]?.prefix { $0 != ";" }
      .trimmingPrefix(while: \.isWhitespace).lowercased()
    guard type == expected else {
      return Problem.response(
        .unsupportedMediaType,
        detail: type.map { "Content-Type \"\($0)\" is not accepted here" } ?? "no Content-Type",
        advice: "send Content-Type: \(expected)")
    }
    return try await next(request, context)
  }
}
