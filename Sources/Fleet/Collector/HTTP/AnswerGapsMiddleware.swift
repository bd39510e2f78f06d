import FleetModel
import HTTPTypes
import Hummingbird

/// Says in the header `Firstlight-Incomplete` what an answer lacks because a part of the store is away.
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
