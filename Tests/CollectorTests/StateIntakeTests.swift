import FirstlightModel
import FleetModel
import Foundation
import SQLiteFleetStore
import Synchronization
import TestSupport
import Testing

@testable import Collector

/// Batches that arrive while others are written.
@Suite struct StateIntakeTests {
  private static let today = FleetDay(number: 20_000)
  private let files: TemporaryDirectory
  private let store: SQLiteFleetStore

  init() throws {
    files = try TemporaryDirectory()
    store = try SQLiteFleetStore(path: files.path("fleet.sqlite"))
  }

  private static func secret(_ host: UInt8) -> LedgerSecret {
    LedgerSecret(repeatElement(host, count: PublisherID.byteCount))!
  }

  private static func state(day: Int32 = today.number, version: RowVersion = 1) -> SeriesState {
    let key = StateKey(
      series: SeriesKey(
        build: BuildKey(buildID: BuildID("aa")!), day: FleetDay(number: day),
        labels: FleetLabels()), guardCount: 10)
    var state = SeriesState(key: key, version: version, name: "server", isExecutable: true)
    state.totals.runs = Int(version.changes)
    return state
  }

  private static func batch(_ host: UInt8, _ states: [SeriesState] = [state()]) -> [UInt8] {
    StateBatch.encode(secret(host), rows: states.map { $0.encoded() })
  }

  /// Whose batches the store got, by write.
  private final class Writes: Sendable {
    private let hosts = Mutex<[[UInt8]]>([])
    var all: [[UInt8]] { hosts.withLock { $0 } }

    func note(_ published: [PublishedStates]) {
      let known = Dictionary(
        uniqueKeysWithValues: (0...UInt8.max).map { (StateIntake.publisher(secret($0)), $0) })
      hosts.withLock { $0.append(published.map { known[$0.publisher] ?? 0 }) }
    }
  }

  /// Has host 0's batch written, and the others' arrive meanwhile.
  /// - Returns: what came of the others.
  private func takeWhileWriting(
    _ batches: [[UInt8]], _ write: @escaping StateIntake.Write
  ) async throws -> [Result<StateReceipt, DeliveryError>] {
    let gate = AsyncStream<Void>.makeStream()
    let isFirst = Mutex(true)
    let gated: StateIntake.Write = { published, today in
      let waits = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if waits { for await _ in gate.stream { break } }
      return await write(published, today)
    }
    let intake = StateIntake(store: store, today: { Self.today }, write: gated)
    func take(_ batch: [UInt8]) -> Task<Result<StateReceipt, DeliveryError>, Never> {
      Task {
        do throws(DeliveryError) { return .success(try await intake.take(batch)) } catch {
          return .failure(error)
        }
      }
    }
    let first = take(Self.batch(0))
    while isFirst.withLock({ $0 }) { await Task.yield() }
    var others: [Task<Result<StateReceipt, DeliveryError>, Never>] = []
    for batch in batches {
      others.append(take(batch))
      while intake.waiting.count < others.count { await Task.yield() }
    }
    gate.continuation.yield()
    #expect(try await first.value.get().known + first.value.get().added == 1)
    var results: [Result<StateReceipt, DeliveryError>] = []
    for other in others { results.append(await other.value) }
    return results
  }

  @Test func whatWaitsIsWrittenTogetherAndFailsAlone() async throws {
    _ = try await store.prepare()
    _ = try await store.close(before: FleetDay(number: 19_990))
    let writes = Writes()
    let damaged = StateBatch.encode(Self.secret(3), rows: [[1, 2, 3]])
    let results = try await takeWhileWriting([
      Self.batch(1), damaged, [0xff], Self.batch(2, [Self.state(day: 20_009), Self.state()]),
      Self.batch(4, [Self.state(day: 19_980)]), Self.batch(1, [Self.state(version: 2)]),
    ]) { [store] in
      writes.note($0)
      return await store.take($0, on: $1)
    }
    #expect(writes.all == [[0], [1, 2, 4, 1]])
    #expect(try results[0].get().added == 1)
    for place in 1...2 {
      guard case .failure(.refused(let failure)) = results[place] else {
        Issue.record("a batch that cannot be decoded is refused")
        continue
      }
      #expect(failure.kind == .data)
    }
    #expect(try results[3].get().places(.early) == [0] && results[3].get().added == 1)
    #expect(try results[4].get().places(.refused, .late) == [0])
    #expect(try results[5].get().added == 1)
    let series = try await store.series(of: Self.state().key.build, in: FleetQuery())
    #expect(series.map(\.totals.runs) == [1 + 2 + 1])
  }

  /// The store may fail for all because of one.
  @Test(arguments: [Failure.Kind.data, .unavailable])
  func batchesThatFailTogetherAreWrittenAlone(kind: Failure.Kind) async throws {
    try await store.prepare()
    let writes = Writes()
    let culprit = StateIntake.publisher(Self.secret(2))
    let results = try await takeWhileWriting([1, 2, 3].map { Self.batch($0) }) { [store] in
      writes.note($0)
      if $0.contains(where: { $0.publisher == culprit }) {
        return $0.map { _ in .failure(Failure(kind, "no")) }
      }
      return await store.take($0, on: $1)
    }
    let wasTaken = results.map { (try? $0.get().added) == 1 }
    if kind == .unavailable {
      // It does not depend on the batch, so all wait.
      #expect(writes.all == [[0], [1, 2, 3]])
      #expect(wasTaken == [false, false, false])
    } else {
      #expect(writes.all == [[0], [1, 2, 3], [1], [2], [3]])
      #expect(wasTaken == [true, false, true])
    }
  }

  /// As long as nothing is written, nothing waits.
  @Test func aLoneBatchIsWrittenAtOnce() async throws {
    try await store.prepare()
    let writes = Writes()
    let write: StateIntake.Write = { [store] in
      writes.note($0)
      return await store.take($0, on: $1)
    }
    let intake = StateIntake(store: store, today: { Self.today }, write: write)
    for host in 1...3 as ClosedRange<UInt8> {
      #expect(try await intake.take(Self.batch(host)).added == 1)
    }
    #expect(writes.all == [[1], [2], [3]])
  }
}
