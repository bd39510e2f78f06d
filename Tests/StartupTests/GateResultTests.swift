import FirstlightModel
import Startup
import TestSupport
import Testing

@Suite struct GateResultTests {
  private static let inventory = StartupInventory(
    libraries: ["libc.so.6"], initializers: ["program": ["a", "b"], "libc.so.6": ["", "init"]],
    relocations: ["program": 1000, "libc.so.6": 1000])

  private static func result(
    time: Double = 10, comparable: Set<StartupMetric> = Set(GateResult.metrics),
    inventory: StartupInventory = GateResultTests.inventory, order: (Double, Double)? = nil,
    judged: Set<GateRow> = Set(GateRow.allCases), drift: RatioEstimate? = nil
  ) -> GateResult {
    func sample(_ value: Double) -> Sample { Sample((0..<20).map { value + Double($0) / 1000 }) }
    return GateResult(
      old: [.time: sample(10), .minorFaults: sample(500)],
      new: [.time: sample(time), .minorFaults: sample(500)], comparable: comparable,
      inventory: (Self.inventory, inventory), order: order.map { (old: $0.0, new: $0.1) },
      judged: judged, maxRegression: 0.05, looks: 3,
      drift: drift.map { [.time: $0] } ?? [:])
  }

  /// Oracle: measurements of as many runs as it names, with the same spread, mostly decide; of half as many, less often.
  @Test(arguments: [1.02, 1.09]) func theNumberOfRunsThatIsNamedDecides(change: Double) {
    var random = SplitMix64(state: 7)
    func sample(_ median: Double, _ count: Int) -> Sample {
      Sample(
        (0..<count).map { _ in
          // The sum of twelve has a normal distribution's shape and a deviation of one.
          let sum = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random)
          }
          return median + sum
        })
    }
    func gate(_ count: Int) -> GateResult {
      GateResult(
        old: [.time: sample(10, count)], new: [.time: sample(10 * change, count)],
        comparable: [.time], inventory: (Self.inventory, Self.inventory), order: nil,
        maxRegression: 0.05, looks: 3, drift: [:])
    }
    // The medians of few runs are far off: several gates say what is typical.
    let named = (0..<21).compactMap { _ in gate(80).decidingRuns }.sorted()
    #expect(named.count > 10)
    let count = named[named.count / 2]
    func decided(_ count: Int) -> Int {
      (0..<40).count { _ in gate(count).outcome == (change > 1.05 ? .higher : .fine) }
    }
    #expect(decided(count * 2) > 30, "\(count)")
    #expect(decided(count / 4) < 25, "\(count)")
  }

  /// To the loader these are two libraries.
  @Test func aLibraryWithACanonicallyEqualNameIsNew() {
    var (old, new) = (Self.inventory, Self.inventory)
    old.libraries.append("libcaf\u{e9}.so")
    new.libraries.append("libcafe\u{301}.so")
    #expect(new.newLibraries(since: old) == ["libcafe\u{301}.so"])
  }

  @Test func aRowThatIsNotJudgedIsOnlyShown() {
    let rest = Set(GateRow.allCases).subtracting([.time])
    let result = Self.result(time: 20, judged: rest)
    #expect(result.metrics.map(\.verdict) == [nil, .fine])
    #expect(result.outcome == .fine)
    var more = Self.inventory
    more.libraries.append("libnew.so")
    more.initializers["program"]?.append("c")
    more.relocations["program"] = 2000
    let counts: Set<GateRow> = [.libraries, .initializers, .relocations, .order]
    for row in counts {
      let one = Self.result(inventory: more, order: (0.9, 0.1), judged: [row])
      #expect(one.outcome == .higher)
      #expect(one.counts.count(where: \.isJudged) == (row == .order ? 0 : 1))
    }
    #expect(
      Self.result(
        inventory: more, order: (0.9, 0.1), judged: Set(GateRow.allCases).subtracting(counts)
      ).outcome == .fine)
    #expect(GateRow.named("faults") == [.majorFaults, .minorFaults])
    #expect(GateRow.named("everything") == nil)
  }

  @Test func anInitializerThatMovedIsKnownByItsName() {
    var moved = Self.inventory
    moved.initializers = ["program": ["a", "b", "init"], "libc.so.6": [""]]
    #expect(moved.newInitializers(since: Self.inventory) == [])
    moved.initializers["program"] = ["a", "b", "init", ""]
    #expect(moved.newInitializers(since: Self.inventory) == ["an unnamed one in program"])
  }

  @Test func theSameIsFine() {
    let result = Self.result()
    #expect(result.outcome == .fine)
    #expect(result.metrics.map(\.metric) == [.time, .minorFaults])
    #expect(result.order == nil)
  }

  @Test func oneRowIsEnoughToFail() {
    #expect(Self.result(time: 12).outcome == .higher)
    var more = Self.inventory
    more.libraries.append("libnew.so")
    #expect(Self.result(inventory: more).outcome == .higher)
    more = Self.inventory
    more.relocations["program"] = 1200
    #expect(Self.result(inventory: more).counts.last?.added == ["200 in program"])
    #expect(Self.result(inventory: more).outcome == .higher)
    #expect(Self.result(order: (0.9, 0.8)).outcome == .higher)
    #expect(Self.result(order: (0.9, 0.89)).outcome == .fine)
  }

  @Test func whatIsAtTheLimitIsTooNoisyAndLosesToARegression() {
    #expect(Self.result(time: 10.5).outcome == .inconclusive)
    var more = Self.inventory
    more.initializers["program"]?.append("c")
    let result = Self.result(time: 10.5, inventory: more)
    #expect(result.outcome == .higher)
    #expect(result.counts[1].added == ["c in program"])
  }

  @Test func incomparableMetricsGetNoVerdict() {
    let result = Self.result(time: 20, comparable: [.minorFaults])
    #expect(result.metrics.map(\.verdict) == [nil, .fine])
    #expect(result.outcome == .fine)
  }

  @Test func aSlowerMachineExplainsTimesAndNotFaults() throws {
    let drift = RatioEstimate(
      from: Sample((0..<20).map { 4 + Double($0) / 1000 }),
      to: Sample((0..<20).map { 6 + Double($0) / 1000 }))
    #expect(Self.result(time: 15, drift: drift).outcome == .inconclusive)
    #expect(Self.result(time: 20, drift: drift).outcome == .higher)
  }

  /// What makes others wait says nothing of processor time.
  @Test func eachTimeHasItsOwnDrift() throws {
    func sample(_ value: Double) -> Sample { Sample((0..<20).map { value + Double($0) / 1000 }) }
    let waits = RatioEstimate(from: sample(4), to: sample(8))
    let same = RatioEstimate(from: sample(4), to: sample(4))
    for (processor, verdict) in [(same, LimitTest.Outcome.higher), (waits, .inconclusive)] {
      let result = GateResult(
        old: [.time: sample(10), .cpuTime: sample(10)],
        new: [.time: sample(15), .cpuTime: sample(15)], comparable: Set(GateResult.metrics),
        inventory: (Self.inventory, Self.inventory), order: nil, maxRegression: 0.05, looks: 3,
        drift: [.time: waits, .cpuTime: processor].compactMapValues { $0 })
      #expect(result.metrics.map(\.verdict) == [.inconclusive, verdict])
    }
  }

  @Test func anInitializerThatIsThereMoreOftenIsNew() {
    var more = Self.inventory
    more.initializers["program"] = ["b", "a", "a"]
    more.initializers["libc.so.6"] = ["", "", "init"]
    more.initializers["libnew.so"] = ["d"]
    #expect(
      more.newInitializers(since: Self.inventory) == [
        "an unnamed one in libc.so.6", "d in libnew.so", "a in program",
      ])
    #expect(Self.inventory.newInitializers(since: more).isEmpty)
  }

  @Test func aBaselineIsNotTrusted() {
    var baseline = StartupBaseline(
      binary: .init(path: "p", buildID: nil),
      conditions: .init(
        arguments: [], until: "exit", isCold: false,
        host: Host(name: "", kernel: "k", architecture: "a", processor: "p", cores: 2)),
      exitStatus: 0, inventory: Self.inventory, order: nil, runs: ["milliseconds": [1, 2]],
      reference: [3], referenceCPUTime: [2])
    #expect(baseline.problem == nil)
    #expect(baseline.sample(.time).median == 1.5)
    #expect(baseline.sample(.majorFaults).count == 0)
    for value in [-1, Double.infinity, Double.nan, 1e300] {
      baseline.runs["milliseconds"] = [1, value]
      #expect(baseline.problem != nil)
    }
    baseline.runs = [:]
    for value in [-1, Int.max, Int.min] {
      baseline.inventory.relocations["program"] = value
      #expect(baseline.problem != nil)
    }
    baseline.inventory = Self.inventory
    baseline.order = .init(path: "o", hitRate: 7)
    #expect(baseline.problem != nil)
  }

  @Test func machinesDifferInWhatTimesDependOn() {
    func machine(_ kernel: String, _ name: String) -> StartupBaseline.Machine {
      .init(Host(name: name, kernel: kernel, architecture: "a", processor: "p", cores: 2))
    }
    #expect(machine("5", "x").differences(since: machine("5", "y")).isEmpty)
    #expect(machine("6", "x").differences(since: machine("5", "x")) == ["kernel 6, was 5"])
  }
}
