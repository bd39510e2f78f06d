import Hummingbird
import Logging

/// Logs each request with its status and duration; failures louder than successes.
struct RequestLog<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    do {
      let response = try await next(request, context)
      log(request, context, status: response.status, since: start, level: .info)
      return response
    } catch {
      log(request, context, status: status(of: error), since: start, level: .notice)
      throw error
    }
  }

  private func status(of error: any Error) -> HTTPResponse.Status {
    (error as? any HTTPResponseError)?.status ?? .internalServerError
  }

  private func log(
    _ request: Request, _ context: Context, status: HTTPResponse.Status,
    since start: ContinuousClock.Instant, level: Logger.Level
  ) {
    context.logger.log(
      level: level, "\(request.method) \(request.uri.path)",
      metadata: [
        "status": "\(status.code)",
        "duration": "\(start.duration(to: .now))",
      ])
  }
}
