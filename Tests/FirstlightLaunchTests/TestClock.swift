import Synchronization

/// A clock that moves when it is told to, and sleeps that end when it gets there.
final class TestClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var time: Duration

    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (a: Instant, b: Instant) -> Bool { a.time < b.time }
  }

  private struct State {
    var now = Instant(time: .zero)
    var sleepers: [Int: (until: Instant, wake: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var count = 0
    var waiting: (count: Int, go: CheckedContinuation<Void, Never>)?
  }
  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  /// Moves the clock, and wakes who has slept long enough.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let woken = state.sleepers.filter { $0.value.until <= state.now }
      for id in woken.keys { state.sleepers[id] = nil }
      return woken.values.map(\.wake)
    }
    for sleeper in woken { sleeper.resume() }
  }

  /// Waits until so many have begun to sleep, in all.
  func sleepers(_ count: Int) async {
    await withCheckedContinuation { go in
      let isThere = state.withLock { state in
        if state.count < count { state.waiting = (count, go) }
        return state.count >= count
      }
      if isThere { go.resume() }
    }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wake in
        let (isOver, go) = state.withLock { state in
          let isOver = state.now >= deadline || state.cancelled.contains(id)
          if !isOver { state.sleepers[id] = (deadline, wake) }
          let go = state.waiting.flatMap { state.count >= $0.count ? $0.go : nil }
          if go != nil { state.waiting = nil }
          return (isOver, go)
        }
        go?.resume()
        if isOver { wake.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }
}

/// A moment that tasks wait for.
final class Event: Sendable {
  private let state = Mutex((isOver: false, waiting: [CheckedContinuation<Void, Never>]()))

  func happen() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }

  /// Not ended by cancellation.
  func wait() async {
    await withCheckedContinuation { go in
      let isOver = state.withLock { state in
        if !state.isOver { state.waiting.append(go) }
        return state.isOver
      }
      if isOver { go.resume() }
    }
  }
}
