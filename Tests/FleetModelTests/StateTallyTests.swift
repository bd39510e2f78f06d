import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport
import Testing

/// Processes as they are added to rows.
@Suite struct StateTallyTests {
  private static let keys = ["aa", "bb", "cc"].map { BuildKey(buildID: BuildID($0)!) }
  private static let guardCount = 300

  private static func calls(_ guards: some Sequence<UInt32>) -> [RecordedCall] {
    guards.enumerated().map { place, index in
      RecordedCall(build: 0, guardIndex: index, thread: 1, time: UInt64(place) * 1000)
    }
  }

  private static func process(
    _ number: Int, calls: [RecordedCall], images: [ObservedProcess.Image]? = nil,
    from start: Double = 1_790_000_000
  ) -> ObservedProcess {
    let image = ObservedProcess.Image(
      build: keys[0], name: "/opt/aa", isExecutable: true, guardCount: guardCount)
    return ObservedProcess(
      run: "run \(number)", process: "\(number)", forkedFrom: nil, root: "\(number)", host: "h",
      startedAt: start, seconds: 2.5, readyAfter: number % 2 == 0 ? 0.25 : nil,
      losses: Losses(drops: number % 5, uncommitted: 1, lostImages: 2, unreadableSegments: 3),
      images: images ?? [image], calls: calls, callers: calls.map { UInt64($0.guardIndex) + 0x1000 }
    )
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func setsAddUpLikeCallsOneByOne(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var expected = Array(repeating: GuardSum(), count: Self.guardCount)
    var tally = StateTally(labels: FleetLabels())
    var host = CoverageTally()
    for number in 0..<200 {
      let share = Double.random(in: 0...1, using: &random)
      let guards = (0..<UInt32(Self.guardCount)).shuffled(using: &random).filter { _ in
        Double.random(in: 0...1, using: &random) < share
      }
      let start = 1_790_000_000 + Double.random(in: 0..<5000, using: &random)
      for index in guards {
        expected[Int(index)].see(at: start)
        expected[Int(index)].hosts = 1
      }
      var run = CoverageTally()
      tally.count(
        Self.process(number, calls: Self.calls(guards), from: start), run: &run, host: &host)
    }
    let state = try #require(tally.states().first)
    #expect(tally.states().count == 1 && Array(state.sums) == expected)
    #expect(state.totals.runs == 200 && state.totals.programRuns == 200)
    #expect(state.totals.hosts == 1 && state.totals.processes == 200)
    #expect(state.totals.seconds == 500 && state.totals.drops == 400)
    #expect(state.startups.total == 100 && state.names == ImageNames("/opt/aa", runs: 200))
    #expect(
      state.callers
        == Dictionary(
          uniqueKeysWithValues: state.sums.called.map { ($0.0, UInt64($0.0) + 0x1000) }))
    #expect(tally.newOnHost == [Self.keys[0]])
  }

  @Test func aProcessOfWhichOnlySetsAreKnownCountsTheSame() {
    var (host, run) = (CoverageTally(), CoverageTally())
    let first = Self.process(0, calls: Self.calls(0..<200))
    #expect(first.needsCalls(host: host, sampleLimit: 0))
    _ = CountedProcess(first, run: &run, host: &host)
    let whole = Self.process(1, calls: Self.calls([7, 190, 3, 64, 65]))
    #expect(whole.needsCalls(host: host, sampleLimit: .max))
    #expect(!whole.needsCalls(host: host, sampleLimit: 0))
    // What is new on the host has to be told with its caller.
    #expect(Self.process(2, calls: Self.calls([200])).needsCalls(host: host, sampleLimit: 0))
    // An hour's calls are told apart from the next one's.
    var late = Self.calls([1, 2])
    late[1].time = 7200 * 1_000_000_000
    #expect(Self.process(3, calls: late).needsCalls(host: host, sampleLimit: 0))

    var sets = whole
    (sets.calls, sets.callers) = (nil, [])
    var (runs, hosts) = ([CoverageTally(), CoverageTally()], [host, host])
    let counted = [whole, sets].enumerated().map { place, process in
      CountedProcess(process, run: &runs[place], host: &hosts[place]).states
    }
    #expect(counted[0] == counted[1])
    #expect(counted[0][0].sums.called.map(\.0) == [3, 7, 64, 65, 190])
    #expect(runs[0] == runs[1] && hosts[0] == hosts[1])
  }

  @Test func aRunningProcessCountsOnlyWhatIsNew() throws {
    var tally = StateTally(labels: FleetLabels())
    var (run, host) = (CoverageTally(), CoverageTally())
    var process = Self.process(1, calls: Self.calls([1, 2]))
    process.hasEnded = false
    #expect(tally.count(process, run: &run, host: &host) == 2.5)
    let before = run
    process.seconds = 9
    #expect(tally.count(process, run: &run, host: &host) == nil && run == before)
    var ended = Self.process(1, calls: Self.calls([1, 2, 3]))
    ended.seconds = 10
    #expect(tally.count(ended, run: &run, host: &host) == 7.5)
    let state = try #require(tally.states().first)
    #expect(state.totals.runs == 1 && state.totals.processes == 1 && state.totals.seconds == 10)
    #expect(state.sums.called.map(\.1.runs) == [1, 1, 1])
  }

  /// Processes of a few hosts and days, in whatever portions they are counted.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func portionsAddUp(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let labels = try FleetLabels(["version": "1.2", "region": "eu"])
    var whole = StateTally(labels: labels)
    var (hosts, others) = ([String: CoverageTally](), [String: CoverageTally]())
    var parts: [CountedProcess] = []
    for number in 0..<60 {
      let images = Self.keys.shuffled(using: &random).prefix(2).map { key in
        ObservedProcess.Image(
          build: key, name: "/opt/\(key.buildID)", isExecutable: key == Self.keys[0],
          // Some say that the builds have other functions.
          guardCount: number % 5 == 0 ? 101 : 100)
      }
      let calls = (0..<Int.random(in: 0...40, using: &random)).map { place in
        RecordedCall(
          build: Int32(place % 2), guardIndex: .random(in: 0..<100, using: &random), thread: 1,
          time: UInt64(place) * 5_000_000_000_000)
      }
      var process = Self.process(
        number, calls: calls, images: images,
        from: number == 7 ? 500 : 1_790_000_000 + Double(number * 9000))
      if number % 4 == 0 { process.stages = [.exec: 0.002, .main: 0.001] }
      var runs = [CoverageTally(), CoverageTally()]
      let host = "host \(number % 4)"
      whole.count(process, run: &runs[0], host: &hosts[host, default: CoverageTally()])
      parts.append(
        CountedProcess(
          process, run: &runs[1], host: &others[host, default: CoverageTally()], labels: labels))
    }
    let states = whole.states(version: 1)
    let sums = PublishedStates.counting(parts.shuffled(using: &random)).states
    let isSame = Set(states) == Set(sums)
    #expect(isSame)
    #expect(Set(states.map(\.key)).count == states.count)
    #expect(Set(states.map(\.key.guardCount)) == [100, 101])
    // What ran before the clock was set.
    #expect(states.contains { $0.key.day == .undated })
  }
}
