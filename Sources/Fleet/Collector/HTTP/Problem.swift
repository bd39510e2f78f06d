import FirstlightModel
import FleetModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import SystemSupport

/// Writes errors in the form of RFC 9457: application/problem+json.
enum Problem {
  static func response(_ failure: Failure) -> Response {
    let status: HTTPResponse.Status =
      switch failure.kind {
      case .usage: .badRequest
      case .data, .insufficientEvidence, .lossy: .unprocessableContent
      case .noInput: .notFound
      case .unavailable: .serviceUnavailable
      case .system, .cannotCreate, .inputOutput, .notExecutable, .notFound: .internalServerError
      }
    return response(
      status, detail: failure.problem, advice: failure.advice.isEmpty ? nil : failure.advice)
  }

  /// - Parameter batch: the sender's name of a batch that will never be accepted.
  static func response(
    _ status: HTTPResponse.Status, detail: String? = nil, advice: String? = nil,
    batch: String? = nil
  ) -> Response {
    let document = ProblemDocument(
      title: status.reasonPhrase, status: status.code, detail: detail, advice: advice, batch: batch)
    var headers: HTTPFields = [.contentType: "application/problem+json"]
    if status == .unauthorized {
      headers[.wwwAuthenticate] = "Basic realm=\"firstlight\", Bearer"
    }
    if [.serviceUnavailable, .tooManyRequests].contains(status) { headers[.retryAfter] = "5" }
    // Texts and numbers can always be encoded.
    guard let body = try? JSONForm.compact(document) else {
      return Response(status: .internalServerError)
    }
    return Response(
      status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
  }
}

/// Writes documents as JSON.
enum JSONAnswer {
  static func response(_ document: some Encodable) throws(Failure) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(string: try JSONForm.compact(document) + "\n")))
  }
}

/// Sets the header `Firstlight-Incomplete`, which lists the missing data if a part of the store is unreachable.
struct AnswerGapsMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let gaps = AnswerGaps()
    var response = try await AnswerGaps.$current.withValue(gaps) {
      try await next(request, context)
    }
    if let name = Self.header, !gaps.lines.isEmpty {
      response.headers[name] = gaps.lines.joined(separator: "; ")
    }
    return response
  }

  private static let header = HTTPField.Name(AnswerGaps.header)
}
