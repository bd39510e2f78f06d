import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport
import Testing

/// Hosts that count runs of `ExampleFleet`: each says all that it has counted so far, again and again.
struct PublishedHistory {
  static let today = FleetDay(number: 20_800)
  static let builds = [ExampleFleet.program, ExampleFleet.library].map { ExampleFleet.key($0) }

  /// What hosts said, in the order in which they did.
  private(set) var sent: [PublishedStates] = []
  /// What each said last.
  private(set) var last: [PublisherID: PublishedStates] = [:]

  /// - Parameter runs: of each host, over five days and two versions of the program.
  init(hosts: Int, runs count: Int, seed: UInt64) throws {
    var fleet = ExampleFleet(seed: seed)
    for host in 0..<hosts {
      let bytes = (0..<PublisherID.byteCount).map { _ in
        UInt8.random(in: 1...255, using: &fleet.generator)
      }
      let publisher = try #require(PublisherID(bytes))
      var runs: [CountedProcess] = []
      for run in 0..<count {
        let labels = try FleetLabels(["version": "\(run % 2)"])
        runs += try CountedProcess.counting(
          fleet.run(host * 97 + run * 83), labels: labels)
        let counted = PublishedStates.counting(
          runs, version: RowVersion(changes: UInt64(run + 1)))
        let states = try counted.states.map { state in
          var state = state
          state.callers = [1: UInt64(0x1000 + host), 2: 0x2000]
            .filter { state.sums[Int($0.key)].isCalled }
          // Times are to the hour once they have travelled.
          return try state.encoded().withUnsafeBytes { try SeriesState(decoding: $0) }
        }
        sent.append(PublishedStates(publisher: publisher, states: states, samples: counted.samples))
        last[publisher] = sent[sent.count - 1]
      }
    }
  }

  /// The rows that each host said last, added up without any store.
  func expected(of build: BuildKey) -> (coverage: BuildCoverage, series: [SeriesRecord]) {
    let states = last.values.flatMap(\.states).filter { $0.key.build == build }
    var all = SeriesState(key: states[0].key, name: "", isExecutable: false)
    var series: [SeriesKey: SeriesState] = [:]
    for state in states {
      all.add(state)
      let empty = SeriesState(key: state.key, name: "", isExecutable: false)
      series[state.key.series, default: empty].add(state)
    }
    let records = series.values.map {
      SeriesRecord(
        day: $0.key.day, labels: $0.key.labels, totals: $0.totals, startups: $0.startups,
        stages: $0.stages)
    }
    return (
      BuildCoverage(totals: all.totals, guards: all.sums, callers: all.callers),
      records.sorted { ($0.day, $0.labels.version) < ($1.day, $1.labels.version) }
    )
  }

  /// Compares a store's answers.
  func check(_ store: any FleetStore) async throws {
    for build in Self.builds {
      let (coverage, series) = expected(of: build)
      #expect(try await store.coverage(of: build, in: FleetQuery()) == coverage)
      #expect(try await store.series(of: build, in: FleetQuery()) == series)
    }
    let families = last.values.flatMap(\.samples).map { ($0.family, $0.id) }.sorted { $0.0 < $1.0 }
    let counts = Dictionary(grouping: families, by: \.0).mapValues(\.count)
    let limit = TraceSampleRule.last(
      of: counts.sorted { $0.key < $1.key }.map { (family: $0.key, traces: $0.value) })
    let traces = try await store.traces(of: Self.builds[0]).map(\.id)
    #expect(Set(traces) == Set(families.filter { $0.0 <= limit ?? .max }.map(\.1)))
    #expect(Set(traces).count == traces.count)
  }

  /// Several receivers deliver everything in random orders, some of it twice, until all is in.
  /// - Returns: how many tries failed.
  @discardableResult
  func deliver(
    receivers: [any FleetStore],
    while body: @escaping @Sendable (DeliveryProgress) async throws -> Void = { _ in }
  ) async throws -> Int {
    let progress = DeliveryProgress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, receiver) in receivers.enumerated() {
        // Each has two thirds of all, so that most come from more than one.
        let own = sent.enumerated().filter { ($0.offset + place) % 3 != 0 || receivers.count == 1 }
        group.addTask {
          try await Self.write(own.map(\.element), to: receiver, seed: UInt64(place), progress)
        }
      }
      group.addTask { try await body(progress) }
      for _ in receivers { try await group.next() }
      await progress.finish()
      try await group.waitForAll()
    }
    return await progress.failures
  }

  private static func write(
    _ sent: [PublishedStates], to store: any FleetStore, seed: UInt64, _ progress: DeliveryProgress
  ) async throws {
    var generator = SplitMix64(state: seed)
    var left = sent.shuffled(using: &generator)
    while let next = left.first {
      do {
        let receipt = try await store.take(next, on: Self.today)
        #expect(receipt.added + receipt.known == next.states.count)
        left.removeFirst()
        await progress.note(failed: false)
      } catch let failure as Failure where failure.kind == .unavailable {
        left.shuffle(using: &generator)
        await progress.note(failed: true)
      }
    }
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
