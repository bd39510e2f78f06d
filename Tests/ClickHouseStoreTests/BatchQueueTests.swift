import FirstlightModel
import FleetModel
import Testing

@testable import ClickHouseStore

/// Who writes whose batches.
@Suite struct BatchQueueTests {
  private static let today = FleetDay(number: 20_000)
  private static let program = BuildKey(buildID: BuildID("aa")!)

  private static func traces(_ number: UInt64, weight: Int = 1) -> [FleetTrace] {
    (0..<UInt64(weight)).map { place in
      FleetTrace(
        id: TraceID(high: place, low: number), run: "\(number)", process: "0", family: number,
        host: "host", startedAt: 1_790_000_000, seconds: 1, countsRun: true, images: [],
        program: 0, callCount: 0, calls: nil)
    }
  }

  private static func leads(_ turn: BatchQueue.Turn) throws -> [BatchQueue.Entry] {
    guard case .lead(let entries) = turn else {
      throw Failure(.data, "was answered: \(turn)")
    }
    return entries
  }

  private static func numbers(_ entries: [BatchQueue.Entry]) -> [UInt64] {
    entries.compactMap { $0.traces.first?.id.low }
  }

  /// Joins a queue that is led, and waits until that was noted.
  private static func wait(
    in queue: BatchQueue, _ traces: [FleetTrace], on day: FleetDay = today
  ) async -> Task<BatchQueue.Turn, Never> {
    let before = await queue.waitingCount
    let task = Task { await queue.join(traces, on: day) }
    while await queue.waitingCount == before { await Task.yield() }
    return task
  }

  @Test func whatComesMeanwhileIsWrittenTogether() async throws {
    let queue = BatchQueue(weightLimit: 1 << 20)
    let first = try Self.leads(await queue.join(Self.traces(1), on: Self.today))
    #expect(Self.numbers(first) == [1])
    let second = await Self.wait(in: queue, Self.traces(2))
    let third = await Self.wait(in: queue, Self.traces(3))
    await queue.handOn()
    let entries = try Self.leads(await second.value)
    #expect(Self.numbers(entries) == [2, 3])
    // Each sender has its own answer.
    await queue.answer(
      entries.dropFirst(), [.success(IngestReceipt(added: 7))])
    guard case .answered(let answer) = await third.value else {
      Issue.record("was to lead")
      return
    }
    #expect(try answer.get().added == 7)
    await queue.handOn()
    #expect(Self.numbers(try Self.leads(await queue.join(Self.traces(4), on: Self.today))) == [4])
  }

  @Test func aFailureIsToldToAll() async throws {
    let queue = BatchQueue(weightLimit: 1 << 20)
    _ = await queue.join(Self.traces(1), on: Self.today)
    let second = await Self.wait(in: queue, Self.traces(2))
    let third = await Self.wait(in: queue, Self.traces(3))
    await queue.handOn()
    let entries = try Self.leads(await second.value)
    await queue.answer(entries.dropFirst(), [.failure(Failure(.unavailable, "away"))])
    guard case .answered(let answer) = await third.value else {
      Issue.record("was to lead")
      return
    }
    #expect(throws: Failure(.unavailable, "away")) { try answer.get() }
  }

  @Test func aGroupIsBoundedAndOfOneDay() async throws {
    let weight = BatchWeight.of(Self.traces(1))
    let queue = BatchQueue(weightLimit: weight * 3)
    _ = await queue.join(Self.traces(1, weight: 9), on: Self.today)
    let waiting = [
      await Self.wait(in: queue, Self.traces(2)),
      await Self.wait(in: queue, Self.traces(3, weight: 2)),
      await Self.wait(in: queue, Self.traces(4)),
      await Self.wait(in: queue, Self.traces(5), on: FleetDay(number: 20_001)),
    ]
    await queue.handOn()
    let first = try Self.leads(await waiting[0].value)
    #expect(Self.numbers(first) == [2, 3])
    await queue.answer(first.dropFirst(), [.success(IngestReceipt())])
    await queue.handOn()
    #expect(Self.numbers(try Self.leads(await waiting[2].value)) == [4])
    await queue.handOn()
    #expect(Self.numbers(try Self.leads(await waiting[3].value)) == [5])
  }
}
