import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport
import Testing

@testable import NeverCalled
@testable import Ordering

/// A store gives the answers that `firstlight merge` gives for the same runs.
@Suite struct OracleTests {
  private static let today = FleetDay(number: 20_730)

  @Test(arguments: StoreKind.available, [1, 2, 3] as [UInt64])
  func aStoreAnswersLikeAMergedProfile(kind: StoreKind, seed: UInt64) async throws {
    var fleet = ExampleFleet(seed: seed)
    var merged = Profile()
    var hosts: [[CountedProcess]] = Array(repeating: [], count: 6)
    for number in 0..<140 {
      let run = fleet.run(number)
      if number == 0 { merged = run } else { try merged.merge(run) }
      merged.keepTraces(atMost: TraceSampleRule.size)
      hosts[number % 6] += try CountedProcess.counting(run)
    }
    let store = try await kind.make()
    try await deliver(hosts, to: store, generator: &fleet.generator)
    for build in [ExampleFleet.program, ExampleFleet.library] {
      try await store.register(FunctionTable(build: build, bodies: []))
    }
    let answered = try await profile(of: store)
    for place in 0..<2 {
      let mine = merged.builds.first { $0.build.buildID == answered.builds[place].build.buildID }
      let expected = try #require(mine)
      #expect(answered.builds[place].runs == expected.runs)
      #expect(answered.builds[place].coverage.map(\.runs) == expected.coverage.map(\.runs))
      for (mine, theirs) in zip(answered.builds[place].coverage, expected.coverage) {
        #expect(abs(mine.firstSeen - theirs.firstSeen) < 3600)
        #expect(abs(mine.lastSeen - theirs.lastSeen) < 3600)
      }
    }
    let dead = try NeverCalledRequest().list(from: answered).report
    let expected = try NeverCalledRequest().list(from: merged).report
    #expect(dead.functions.map(\.identity) == expected.functions.map(\.identity))
    #expect(dead.functions.map(\.verdict) == expected.functions.map(\.verdict))
    #expect(dead.functions.map(\.runShare) == expected.functions.map(\.runShare))
    #expect(!dead.listed.isEmpty)
    #expect(dead.sums == expected.sums)
    #expect(dead.observation.runs == expected.observation.runs)
    #expect(dead.observation.processes == expected.observation.processes)
    #expect(dead.observation.losses == expected.observation.losses)
    #expect(dead.observation.timeObserved == expected.observation.timeObserved)
    for strategy in OrderingStrategy.allCases {
      let order = try order(answered, strategy)
      #expect(try order == self.order(merged.sorted(), strategy))
      #expect(order.count > 100)
    }
  }

  /// What Documentation/Fleet.md states of orders from the sample: of how many runs it is, how far the
  /// shares of its runs are off, and what an order made from it costs all runs beside one made from all.
  @Test(arguments: StoreKind.available, [4, 5, 6] as [UInt64])
  func theSampleIsAsGoodAsStated(kind: StoreKind, seed: UInt64) async throws {
    var fleet = ExampleFleet(seed: seed)
    var merged = Profile()
    var traces: [CountedProcess] = []
    for number in 0..<600 {
      let run = fleet.run(number)
      if number == 0 { merged = run } else { try merged.merge(run) }
      traces += try CountedProcess.counting(run)
    }
    let store = try await kind.make()
    _ = try await store.take(.counting(traces), on: Self.today)
    for build in [ExampleFleet.program, ExampleFleet.library] {
      try await store.register(FunctionTable(build: build, bodies: []))
    }
    let sampled = try await profile(of: store)
    let runs = Set(sampled.processes.map(\.run))
    #expect(sampled.processes.count > 97 && sampled.processes.count <= 100)

    // Two standard errors of a share of n runs are at most 1/sqrt(n).
    let bound = 1 / Double(runs.count).squareRoot()
    let place = try #require(sampled.builds.firstIndex { $0.build.kind == .executable })
    var callers: [UInt32: Set<String>] = [:]
    for process in sampled.processes {
      for call in process.calls where Int(call.build) == place {
        callers[call.guardIndex, default: []].insert(process.run)
      }
    }
    let errors = sampled.builds[place].coverage.enumerated().map { guardIndex, coverage in
      let share = Double(callers[UInt32(guardIndex)]?.count ?? 0) / Double(runs.count)
      return abs(share - Double(coverage.runs) / 600)
    }
    #expect(errors.count { $0 <= bound } >= errors.count * 95 / 100)

    // Pages of eight functions, so that there are dozens.
    let whole = merged.sorted()
    let all = OrderingInput(of: 0, in: whole)
    #expect(whole.builds[0].build.kind == .executable)
    let problem = all.problem(pageSize: 256)
    let units = Dictionary(
      all.units.enumerated().map { ($1.names[0], Int32($0)) }, uniquingKeysWith: { one, _ in one })
    for strategy in OrderingStrategy.allCases {
      let code = OrderingInput(of: place, in: sampled)
      let order = try code.order(strategy, pageSize: 256).map {
        try #require(units[code.units[Int($0)].names[0]])
      }
      #expect(Set(order).count == all.units.count)
      let mine = PageTouch(of: order, for: problem)
      let best = PageTouch(of: all.order(strategy, pageSize: 256), for: problem)
      #expect(Double(mine.pages) <= Double(best.pages) * 1.125)
    }
  }

  /// Each host counts its processes in any order, and sends what it has so far as often as it likes.
  private func deliver(
    _ hosts: [[CountedProcess]], to store: any FleetStore, generator: inout SplitMix64
  ) async throws {
    var messages: [PublishedStates] = []
    for (host, traces) in hosts.enumerated() {
      var counted: [CountedProcess] = []
      var left = traces.shuffled(using: &generator)
      while !left.isEmpty {
        let part = left.prefix(Int.random(in: 1...20, using: &generator))
        left.removeFirst(part.count)
        counted += part
        var message = PublishedStates.counting(
          counted, publisher: .test(UInt64(host)),
          version: RowVersion(changes: UInt64(counted.count)))
        message.samples = part.compactMap(\.sample)
        messages += [message, message].prefix(Int.random(in: 1...2, using: &generator))
      }
    }
    for message in messages.shuffled(using: &generator) {
      _ = try await store.take(message, on: Self.today)
    }
  }

  private func profile(of store: any FleetStore) async throws -> Profile {
    var builds: [(table: FunctionTable, coverage: BuildCoverage)] = []
    var traces: [FleetTrace] = []
    for build in [ExampleFleet.program, ExampleFleet.library] {
      let key = ExampleFleet.key(build)
      let table = try await store.functionTable(of: key)
      let coverage = try await store.coverage(of: key, in: FleetQuery())
      builds.append((try #require(table), try #require(coverage)))
      traces += try await store.traces(of: key)
    }
    return Profile(of: builds, traces: traces)
  }

  private func order(_ profile: Profile, _ strategy: OrderingStrategy) throws -> [String] {
    var request = OrderRequest()
    request.strategy = strategy
    return try request.order(in: profile).names
  }
}
