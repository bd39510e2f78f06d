import FirstlightLauncher
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport
import WorkerSandbox

/// Limits the number of concurrent workers; waiting callers are served in order.
final class WorkerSlots: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  private let waitingLimit: Int

  init(count: Int, waitingLimit: Int) {
    state = Mutex(State(free: count))
    self.waitingLimit = waitingLimit
  }

  /// Waits for a slot, which the caller holds until `release`.
  /// - Throws: `.unavailable` if too many wait already.
  func take() async throws(BuildReadError) {
    var isFull = false
    await withCheckedContinuation { continuation in
      let isSettled = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        isFull = state.waiting.count >= waitingLimit
        if !isFull { state.waiting.append(continuation) }
        return isFull
      }
      if isSettled { continuation.resume() }
    }
    if isFull {
      throw .unavailable(
        Failure(.unavailable, "too many files are waiting to be read", advice: "retry later"))
    }
  }

  func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
