import Dispatch
import HTTPTypes
import Hummingbird
import Synchronization

/// Limits the number of concurrent queries. Waiting queries of the peer with the fewest running ones go first,
/// then the oldest. Cancelling a task removes its query from the line.
final class QuestionPlaces: Sendable {
  private struct Waiting {
    let number: UInt64
    let peer: Peer
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var inWork: [Peer: Int] = [:]
    var taken = 0
    var waiting: [Waiting] = []
    var begun: UInt64 = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// The number of waiting queries.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// - Throws: `CancellationError` if the task is cancelled while waiting.
  func acquire(_ peer: Peer) async throws {
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          // The handler below may have run before the query was in the line.
          if Task.isCancelled { return .failure(CancellationError()) }
          guard state.taken == limit else {
            Self.begin(peer, &state)
            return .success(())
          }
          state.waiting.append(Waiting(number: number, peer: peer, continuation: continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let gone = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      gone?.continuation.resume(throwing: CancellationError())
    }
  }

  func release(_ peer: Peer) {
    let next = state.withLock { state -> Waiting? in
      state.taken -= 1
      let left = state.inWork[peer, default: 0] - 1
      state.inWork[peer] = left > 0 ? left : nil
      let place = state.waiting.indices.min { a, b in
        let (a, b) = (state.waiting[a], state.waiting[b])
        return (state.inWork[a.peer, default: 0], a.number)
          < (state.inWork[b.peer, default: 0], b.number)
      }
      guard let place else { return nil }
      let next = state.waiting.remove(at: place)
      Self.begin(next.peer, &state)
      return next
    }
    next?.continuation.resume()
  }

  private static func begin(_ peer: Peer, _ state: inout State) {
    state.taken += 1
    state.inWork[peer, default: 0] += 1
  }
}
