import ClickHouseStore
import FirstlightModel
import FleetModel
import Foundation
import TestSupport
import Testing

/// Hosts that send the same traces to several receivers over one ClickHouse store, while servers go away.
struct FleetDelivery {
  private static let today = FleetDay(number: 20_000)
  let address: ClickHouseAddress

  /// - Parameter address: with a database of its own.
  init(_ address: ClickHouseAddress) { self.address = address }

  /// Gives the same traces to several stores over one database, in batches of which some overlap and
  /// all are tried again until they are in, and compares with SQLite.
  /// - Returns: how many tries failed.
  @discardableResult
  func deliver(
    runs: Int, writers: Int, while body: @escaping @Sendable (DeliveryProgress) async throws -> Void
  ) async throws -> Int {
    var fleet = ExampleFleet(seed: UInt64(runs))
    var traces: [FleetTrace] = []
    for number in 0..<runs { traces += try fleet.run(number).fleetTraces(labels: FleetLabels()) }
    let expected = try await StoreKind.sqlite.make()
    _ = try await expected.ingest(traces, on: Self.today)
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    try await store.prepare()
    let progress = DeliveryProgress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        // Each has two thirds of all, so that most traces come from more than one.
        let own = traces.enumerated().filter { ($0.offset + writer) % 3 != 0 }.map(\.element)
        group.addTask {
          try await write(own, seed: UInt64(writer), progress)
        }
      }
      group.addTask { try await body(progress) }
      for _ in 0..<writers { try await group.next() }
      await progress.finish()
      try await group.waitForAll()
    }
    #expect(try await store.size() == expected.size())
    for build in [ExampleFleet.program, ExampleFleet.library] {
      let key = ExampleFleet.key(build)
      let all = SeriesFilter()
      #expect(try await store.coverage(of: key, in: all) == expected.coverage(of: key, in: all))
      #expect(try await store.series(of: key, in: all) == expected.series(of: key, in: all))
      let mine = try await store.traces(of: key).map(\.id)
      #expect(try await Set(mine) == Set(expected.traces(of: key).map(\.id)))
      #expect(Set(mine).count == mine.count)
    }
    return await progress.failures
  }

  private func write(
    _ traces: [FleetTrace], seed: UInt64, _ progress: DeliveryProgress
  ) async throws {
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    var generator = SplitMix64(state: seed)
    var left = traces.shuffled(using: &generator)
    while !left.isEmpty {
      let batch = Array(left.prefix(Int.random(in: 1...12, using: &generator)))
      do {
        let receipt = try await store.ingest(batch, on: Self.today)
        #expect(receipt.added + receipt.known == batch.count)
        left.removeFirst(batch.count)
        await progress.note(failed: false)
      } catch let failure as Failure where failure.kind == .unavailable {
        // Another time in other company.
        left.shuffle(using: &generator)
        await progress.note(failed: true)
      }
    }
  }

  /// Runs Scripts/clickhouse-cluster.
  static func control(_ cluster: String, _ arguments: [String]) async throws {
    let process = Process()
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    process.executableURL = root.appending(path: "Scripts/clickhouse-cluster")
    process.arguments = [cluster] + arguments
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do { try process.run() } catch { done.resume(throwing: error) }
    }
    #expect(process.terminationStatus == 0)
  }
}

/// What writers have done, for somebody who waits for it.
actor DeliveryProgress {
  private(set) var failures = 0
  private(set) var isDone = false
  private var batches = 0
  private var waiting: [(batches: Int, failures: Int, CheckedContinuation<Void, Never>)] = []

  func note(failed: Bool) {
    if failed { failures += 1 } else { batches += 1 }
    wake()
  }

  func finish() {
    isDone = true
    wake()
  }

  func wait(forMore count: Int) async { await wait(batches: batches + count, failures: .max) }

  func waitForFailure() async { await wait(batches: .max, failures: failures + 1) }

  private func wait(batches: Int, failures: Int) async {
    if isDone { return }
    await withCheckedContinuation { waiting.append((batches, failures, $0)) }
  }

  private func wake() {
    let ready = waiting.filter { batches >= $0.batches || failures >= $0.failures || isDone }
    waiting.removeAll { batches >= $0.batches || failures >= $0.failures || isDone }
    for entry in ready { entry.2.resume() }
  }
}
