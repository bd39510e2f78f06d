import FirstlightModel
import Logging
import ServiceLifecycle
import SpoolIntake
import Synchronization

/// Wakes a waiting task. A call without a waiting task is remembered.
final class WakeUp: Sendable {
  private struct State {
    var isPending = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func wake() {
    state.withLock { state -> CheckedContinuation<Void, Never>? in
      if let waiting = state.waiting {
        state.waiting = nil
        return waiting
      }
      state.isPending = true
      return nil
    }?.resume()
  }

  /// Waits for a call of `wake`, for the given seconds, or until the task is cancelled. Only one task may wait
  /// at a time.
  func wait(seconds: Double) async {
    let timer = Task {
      try? await Task.sleep(for: .seconds(seconds))
      if !Task.isCancelled { self.wake() }
    }
    defer { timer.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state -> Bool in
          if state.isPending || Task.isCancelled {
            state.isPending = false
            return true
          }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
  }
}
