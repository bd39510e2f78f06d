import FirstlightModel
import FleetModel
import TestSupport
import Testing

/// Traces as they are added to rows.
@Suite struct StateCountingTests {
  private static let keys = ["aa", "bb", "cc"].map { BuildKey(buildID: BuildID($0)!) }

  /// Processes of a few hosts and days, under two sets of labels, all of which say the same of their builds.
  private static func traces(_ random: inout SplitMix64) throws -> [FleetTrace] {
    var hosts: [String: CoverageTally] = [:]
    return try (0..<60).map { number in
      let labels = try FleetLabels(number % 3 == 0 ? [:] : ["version": "1.2", "region": "eu"])
      let images = keys.shuffled(using: &random).prefix(2).map { key in
        ObservedProcess.Image(
          build: key, name: "/opt/\(key.buildID)", isExecutable: key == keys[0], guardCount: 100)
      }
      let calls = (0..<Int.random(in: 0...40, using: &random)).map { place in
        RecordedCall(
          build: Int32(place % 2), guardIndex: .random(in: 0..<100, using: &random), thread: 1,
          time: UInt64(place) * 5_000_000_000_000)
      }
      let host = "host \(number % 4)"
      var run = CoverageTally()
      var trace = FleetTrace(
        counting: ObservedProcess(
          run: "\(number)", process: "0", forkedFrom: nil, root: "0", host: host,
          startedAt: number == 7 ? 500 : 1_790_000_000 + Double(number * 9000), seconds: 2.5,
          readyAfter: number % 2 == 0 ? 0.25 : nil,
          losses: Losses(drops: number % 5, uncommitted: 1, lostImages: 2, unreadableSegments: 3),
          images: Array(images), calls: calls, callers: calls.map { 0x4000 + $0.time % 7 }),
        run: &run, host: &hosts[host + labels.text, default: CoverageTally()], labels: labels)
      if number % 4 == 0 { trace.stages = [.exec: 0.002, .main: 0.001] }
      return trace
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func rowsHaveWhatTracesAddUpTo(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let traces = try Self.traces(&random)
    let expected = BatchSums(traces)
    let states = SeriesState.counting(traces)
    #expect(Set(states.map(\.key.series)) == Set(expected.series.keys))
    #expect(states.count == expected.series.count)
    for state in states {
      let series = try #require(expected.series[state.key.series])
      #expect(state.totals == series.totals)
      #expect(state.startups == series.startups && state.stages == series.stages)
      #expect(state.sums.called.map(\.0) == series.guards)
      #expect(state.sums.called.map(\.1) == series.sums)
      #expect(state.key.guardCount == 100 && state.version == 0)
      #expect(
        state.names == ImageNames("/opt/\(state.key.build.buildID)", runs: state.totals.runs))
      #expect(state.isExecutable == (state.key.build == Self.keys[0]))
    }
    // What ran before the clock was set.
    #expect(states.contains { $0.key.day == .undated })
    for key in Self.keys {
      #expect(Self.callers(of: key, in: states) == expected.builds[key]?.callers ?? [:])
    }
  }

  /// All that the rows of a build tell.
  private static func callers(
    of key: BuildKey, in states: some Sequence<SeriesState>
  ) -> [UInt32: UInt64] {
    states.filter { $0.key.build == key }.reduce(into: [:]) { callers, state in
      callers.merge(state.callers) { min($0, $1) }
    }
  }

  /// In whatever portions they are counted.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func portionsAddUp(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var left = try Self.traces(&random)
    let whole = SeriesState.counting(left)
    left.shuffle(using: &random)
    var rows: [StateKey: SeriesState] = [:]
    while !left.isEmpty {
      let part = Array(left.prefix(.random(in: 1...9, using: &random)))
      left.removeFirst(part.count)
      for state in SeriesState.counting(part) {
        rows[
          state.key,
          default: SeriesState(key: state.key, name: "", isExecutable: false)
        ].add(state)
      }
    }
    for key in Self.keys {
      #expect(Self.callers(of: key, in: rows.values) == Self.callers(of: key, in: whole))
    }
    // Which of a build's rows tells of a caller depends on the portions.
    func withoutCallers(_ states: some Sequence<SeriesState>) -> Set<SeriesState> {
      Set(
        states.map { state in
          var state = state
          state.callers = [:]
          return state
        })
    }
    let isSame = withoutCallers(rows.values) == withoutCallers(whole)
    #expect(isSame)
  }

  @Test func whatTracesSayDifferentlyStaysApart() throws {
    var random = SplitMix64(state: 1)
    var traces = try Self.traces(&random)
    for place in traces.indices where place % 5 == 0 {
      for image in traces[place].images.indices { traces[place].images[image].guardCount = 101 }
    }
    let states = SeriesState.counting(traces)
    #expect(Set(states.map(\.key)).count == states.count)
    for count in [100, 101] {
      let part = traces.filter { $0.images[0].guardCount == count }
      let isSame =
        Set(states.filter { $0.key.guardCount == count }) == Set(SeriesState.counting(part))
      #expect(isSame)
    }
  }
}
