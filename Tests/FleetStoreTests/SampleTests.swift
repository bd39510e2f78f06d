import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport
import Testing

/// The traces that stores keep in full: a set, whatever order they come in.
@Suite struct SampleTests {
  private static let today = FleetDay(number: 20_720)
  private static let key = ExampleFleet.key(ExampleFleet.program)

  /// Of a process of a run.
  private static func trace(_ run: String, process: String = "0") -> FleetTrace {
    let observed = ObservedProcess(
      run: run, process: process, forkedFrom: nil, root: "0", host: "host",
      startedAt: 1_790_000_000, seconds: 1, readyAfter: nil, losses: Losses(),
      images: [.init(build: key, name: "server", isExecutable: true, guardCount: 300)],
      calls: [RecordedCall(build: 0, guardIndex: 7, thread: 1, time: 5)], callers: [])
    return FleetTrace(observed, labels: FleetLabels(), seconds: 1)!
  }

  /// Runs of one process, that of the smallest family first.
  private static let ranked: [FleetTrace] = (0..<400).map { trace("ranked \($0)") }
    .sorted { $0.family < $1.family }

  private static func samples(_ traces: [FleetTrace], of publisher: UInt64) -> PublishedStates {
    PublishedStates(publisher: .test(publisher), states: [], samples: traces)
  }

  /// As the rule says it: whole families in rising order, up to the first that does not fit. Of a first family that does
  /// not fit, those with the smallest ids.
  private static func sample(_ traces: [FleetTrace]) -> Set<TraceID> {
    var kept: [FleetTrace] = []
    for (_, family) in Dictionary(grouping: traces, by: \.family).sorted(by: { $0.key < $1.key }) {
      if !kept.isEmpty, kept.count + family.count > TraceSampleRule.size { break }
      kept += family
    }
    return Set(kept.map(\.id).sorted(by: Self.isBefore).prefix(TraceSampleRule.size))
  }

  private static func isBefore(_ a: TraceID, _ b: TraceID) -> Bool {
    (a.high, a.low) < (b.high, b.low)
  }

  @Test(arguments: StoreKind.available, [1, 2, 3, 4, 5, 6] as [UInt64])
  func theSampleIsASet(kind: StoreKind, seed: UInt64) async throws {
    var random = SplitMix64(state: seed)
    var all: [(publisher: UInt64, trace: FleetTrace)] = []
    // The first family of one may be larger than a sample.
    let first = (0..<80).min {
      FamilyHash.of(run: "\(seed) \($0)", root: "0")
        < FamilyHash.of(run: "\(seed) \($1)", root: "0")
    }
    for number in 0..<80 {
      let size = seed == 6 && number == first ? 130 : Int.random(in: 1...6, using: &random)
      for process in 0..<size {
        all.append((UInt64(number % 3), Self.trace("\(seed) \(number)", process: "\(process)")))
      }
    }
    let stores = try await kind.make(2)
    var left = (all + all.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)
    var limit = UInt64.max
    while !left.isEmpty {
      let publisher = left[0].publisher
      let part = left.filter { $0.publisher == publisher }
        .prefix(Int.random(in: 1...40, using: &random))
      for sent in part {
        let place = left.firstIndex { $0.trace.id == sent.trace.id }
        left.remove(at: try #require(place))
      }
      let receipt = try await stores[part.count % 2].take(
        Self.samples(part.map(\.trace), of: publisher), on: Self.today)
      #expect(receipt.added == 0 && receipt.refusals.isEmpty)
      if let now = receipt.sampleLimits[Self.key] {
        #expect(now <= limit)
        limit = now
      }
    }
    let expected = Self.sample(all.map(\.trace))
    for store in stores {
      let kept = try await store.traces(of: Self.key)
      #expect(Set(kept.map(\.id)) == expected && kept.count == expected.count)
      #expect(kept.map(\.family) == kept.map(\.family).sorted())
      for trace in kept { #expect(all.contains { $0.trace == trace }) }
    }
    #expect(try await stores[0].size().sampledTraces == expected.count)
    // What it has room for, hosts are told, and nothing comes of sending all again.
    #expect(
      all.allSatisfy { $0.trace.family > limit || expected.contains($0.trace.id) } || seed == 6)
    for publisher in 0..<3 as Range<UInt64> {
      let receipt = try await stores[1].take(
        Self.samples(all.filter { $0.publisher == publisher }.map(\.trace), of: publisher),
        on: Self.today)
      #expect(receipt.samples == 0 && receipt.sampleLimits[Self.key] == limit)
    }
  }

  @Test(arguments: StoreKind.available)
  func newTracesThatStayAreCounted(kind: StoreKind) async throws {
    let store = try await kind.make()
    func take(_ ranks: Range<Int>) async throws -> Int {
      let traces = Array(Self.ranked[ranks])
      return try await store.take(Self.samples(traces, of: 1), on: Self.today).samples
    }
    #expect(try await take(100..<160) == 60)
    #expect(try await take(100..<160) == 0)
    // 40 more have room.
    #expect(try await take(160..<260) == 40)
    #expect(try await take(0..<30) == 30)
    #expect(try await take(200..<300) == 0)
    #expect(
      try await store.traces(of: Self.key) == Array(Self.ranked[0..<30] + Self.ranked[100..<170]))
  }

  @Test(arguments: StoreKind.available)
  func theSampleOfPublishersThatSendTogetherIsASet(kind: StoreKind) async throws {
    let store = try await kind.make()
    let all = Array(Self.ranked.prefix(150))
    let sent = (0..<5 as Range<UInt64>).map { publisher in
      Self.samples(all.filter { $0.id.low % 5 == publisher }, of: publisher)
    }
    for result in await store.take(sent, on: Self.today) { _ = try result.get() }
    #expect(Set(try await store.traces(of: Self.key).map(\.id)) == Self.sample(all))
  }

  /// Who knows a trace's id cannot take its place.
  @Test(arguments: StoreKind.available)
  func aForgedTraceTakesNobodysPlace(kind: StoreKind) async throws {
    let store = try await kind.make()
    let trace = Self.trace("1")
    var forged = trace
    forged.calls = [RecordedCall(build: 0, guardIndex: 9, thread: 1, time: 5)]
    forged.host = "another"
    #expect(try await store.take(Self.samples([forged], of: 2), on: Self.today).samples == 1)
    #expect(try await store.take(Self.samples([trace], of: 1), on: Self.today).samples == 1)
    #expect(try await store.take(Self.samples([forged], of: 1), on: Self.today).samples == 0)
    let kept = try await store.traces(of: Self.key)
    #expect(kept.count == 2 && kept.contains(trace) && kept.contains(forged))
  }

  @Test(arguments: StoreKind.available)
  func theSampleOfALibraryIsThatOfItsPrograms(kind: StoreKind) async throws {
    let store = try await kind.make()
    let run = try {
      var fleet = ExampleFleet(seed: 5)
      return try fleet.run(1).fleetStates(labels: FleetLabels())[0]
    }()
    _ = try await store.take(
      PublishedStates(publisher: .test(1), states: run.states, samples: run.samples),
      on: Self.today)
    let library = ExampleFleet.key(ExampleFleet.library)
    #expect(Set(try await store.traces(of: library).map(\.id)) == Set(run.samples.map(\.id)))
  }

  /// A server may run for weeks before its trace comes.
  @Test(arguments: StoreKind.available)
  func tracesOfClosedDaysAreTaken(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.close(before: Self.today)
    let trace = Self.trace("1")
    #expect(FleetDay(of: trace.startedAt) < Self.today)
    #expect(try await store.take(Self.samples([trace], of: 1), on: Self.today).samples == 1)
    #expect(try await store.traces(of: Self.key) == [trace])
  }
}
