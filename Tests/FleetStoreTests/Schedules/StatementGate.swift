import FirstlightModel
import HTTPTransport

/// Holds up the statements of several clients, until a test lets one of them go: so the test decides on
/// their order, and on what becomes of each.
actor StatementGate {
  /// What became of a client's operation.
  enum Outcome: Sendable {
    /// Whether it did what it was to do; a read has its answer.
    case done(Bool, ScheduleAnswer? = nil)
    case failed(Failure)
  }

  private var waiting:
    [Int: (HTTPRequest, CheckedContinuation<Result<HTTPAnswer, Failure>, Never>)] =
      [:]
  /// Clients whose operation neither waits for an answer nor has ended.
  private var busy: Set<Int> = []
  private var ended: [Int: Outcome] = [:]
  private var settling: CheckedContinuation<Void, Never>?

  /// A client's operation begins.
  func begin(_ client: Int) { busy.insert(client) }

  func end(_ client: Int, _ outcome: Outcome) {
    ended[client] = outcome
    leave(client)
  }

  /// Waits until the test has an answer to a statement.
  func ask(_ client: Int, _ request: HTTPRequest) async -> Result<HTTPAnswer, Failure> {
    await withCheckedContinuation { continuation in
      waiting[client] = (request, continuation)
      leave(client)
    }
  }

  /// Waits until each client's operation waits for an answer, or has ended.
  func settle() async {
    if busy.isEmpty { return }
    await withCheckedContinuation { settling = $0 }
  }

  /// The statements that wait for an answer.
  var statements: [Int: HTTPRequest] { waiting.mapValues(\.0) }

  func answer(_ client: Int, _ answer: Result<HTTPAnswer, Failure>) {
    guard let (_, continuation) = waiting.removeValue(forKey: client) else { return }
    busy.insert(client)
    continuation.resume(returning: answer)
  }

  /// The operations that have ended since this was asked last.
  func takeEnded() -> [(client: Int, outcome: Outcome)] {
    defer { ended = [:] }
    return ended.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private func leave(_ client: Int) {
    busy.remove(client)
    guard busy.isEmpty else { return }
    settling?.resume()
    settling = nil
  }
}
