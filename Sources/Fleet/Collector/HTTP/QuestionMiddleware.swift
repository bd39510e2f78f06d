import Dispatch
import HTTPTypes
import Hummingbird
import Synchronization

/// Answers a limited number of queries at one time, on threads of their own: /healthz, /readyz and uploads
/// never wait for queries. Cancels a query when its client leaves.
struct QuestionMiddleware: RouterMiddleware {
  let places: QuestionPlaces
  let table: ConnectionTable

  /// The number of concurrent readers of a store on SQLite, without those for the daemon's own work.
  static let limit = 4

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let peer = Peer(context.channel.remoteAddress)
    do {
      return try await table.whileThere(context.channel, on: QuestionExecutor.shared) {
        try await places.acquire(peer)
        defer { places.release(peer) }
        return try await next(request, context)
      }
    } catch is CancellationError {
      // The client may have closed only its sending side, and can then still read an answer.
      return Problem.response(
        .serviceUnavailable, detail: "the connection was closed before its turn",
        advice: "keep it open for sending until the answer has come")
    }
  }
}

/// Threads for long work, so that the few threads of all other tasks stay free.
private final class QuestionExecutor: TaskExecutor {
  static let shared = QuestionExecutor()

  private let queue = DispatchQueue(label: "firstlightd.questions", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
