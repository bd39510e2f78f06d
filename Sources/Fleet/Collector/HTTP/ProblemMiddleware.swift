import FirstlightModel
import FleetModel
import HTTPTypes
import Hummingbird
import NIOHTTP1
import SystemSupport

/// Converts errors to problem documents, and logs how each request ended.
struct ProblemMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch var failure as Failure {
      if failure.isOfDamagedStore {
        failure = Failure(.unavailable, failure.problem, advice: failure.advice)
      }
      let response = Problem.response(failure)
      // Errors of the client are not logged: the response reports them.
      if response.status.kind == .serverError {
        context.logger.warning(
          "request failed",
          metadata: ["path": "\(request.uri.path)", "reason": "\(failure)"])
      }
      return response
    } catch let error as any HTTPResponseError {
      if error.status == .notFound, let methods = OpenAPIDocument.methods(ofPath: request.uri.path),
        !methods.contains(request.method.rawValue)
      {
        var response = Problem.response(.methodNotAllowed)
        response.headers[.allow] = methods.joined(separator: ", ")
        return response
      }
      return Problem.response(error.status)
    } catch let error as HTTPParserError {
      // The rest of the request cannot be found either: answered with 400, and the connection is closed.
      throw error
    } catch {
      context.logger.error(
        "request failed", metadata: ["path": "\(request.uri.path)", "reason": "\(error)"])
      return Problem.response(.internalServerError)
    }
  }
}
