import Foundation
import Synchronization
import Testing

@testable import Collector

/// Who is answered next, and who is not at all.
@Suite struct QuestionPlacesTests {
  private static let busy = Peer(network: [1])
  private static let calm = Peer(network: [2])

  /// Has a peer wait in line, and returns once it does.
  private func wait(
    _ places: QuestionPlaces, _ peer: Peer, _ log: Log, _ name: String
  ) async -> Task<Void, any Error> {
    let count = places.waiting
    let task = Task {
      try await places.acquire(peer)
      log.note(name)
    }
    while places.waiting == count { await Task.yield() }
    return task
  }

  private final class Log: Sendable {
    private let names = Mutex<[String]>([])

    func note(_ name: String) { names.withLock { $0.append(name) } }

    var all: [String] { names.withLock { $0 } }
  }

  @Test func onePeersQuestionsDoNotHoldUpAnothers() async throws {
    let places = QuestionPlaces(limit: 2)
    let log = Log()
    for _ in 0..<2 { try await places.acquire(Self.busy) }
    let first = await wait(places, Self.busy, log, "busy 1")
    let second = await wait(places, Self.busy, log, "busy 2")
    let other = await wait(places, Self.calm, log, "calm")
    places.release(Self.busy)
    try await other.value
    places.release(Self.calm)
    try await first.value
    places.release(Self.busy)
    try await second.value
    #expect(log.all == ["calm", "busy 1", "busy 2"])
  }

  @Test func whoLeavesTheLineTakesNoPlace() async throws {
    let places = QuestionPlaces(limit: 1)
    let log = Log()
    try await places.acquire(Self.busy)
    let gone = await wait(places, Self.busy, log, "gone")
    let next = await wait(places, Self.busy, log, "next")
    gone.cancel()
    await #expect(throws: CancellationError.self) { try await gone.value }
    places.release(Self.busy)
    try await next.value
    #expect(log.all == ["next"] && places.waiting == 0)
    places.release(Self.busy)
    // Gone before it asked.
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await places.acquire(Self.busy)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await places.acquire(Self.busy)
  }
}
