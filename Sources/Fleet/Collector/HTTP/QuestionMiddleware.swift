import Dispatch
import HTTPTypes
import Hummingbird

/// Answers a bounded number of questions at one time, each only while its client is connected, and on threads
/// of their own: /healthz, /readyz and uploads never wait for them.
struct QuestionMiddleware: RouterMiddleware {
  let places: QuestionPlaces
  let table: ConnectionTable

  /// As many as a store on SQLite reads at one time, and some readers left for the daemon's own work.
  static let limit = 4

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let peer = Peer(context.channel.remoteAddress)
    do {
      return try await table.whileThere(context.channel, on: QuestionExecutor.shared) {
        try await places.take(peer)
        defer { places.give(peer) }
        return try await next(request, context)
      }
    } catch is CancellationError {
      // The client only ended its sending side, and can still read an answer.
      return Problem.response(
        .serviceUnavailable, detail: "the connection was closed before its turn",
        advice: "keep it open for sending until the answer has come")
    }
  }
}

/// Threads that take long work: the few that all tasks share stay free for short ones.
private final class QuestionExecutor: TaskExecutor {
  static let shared = QuestionExecutor()

  private let queue = DispatchQueue(label: "firstlightd.questions", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
