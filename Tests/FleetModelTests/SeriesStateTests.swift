import FirstlightModel
import TestSupport
import Testing

@testable import FleetModel

/// Rows as bytes.
@Suite struct SeriesStateTests {
  private func decode(_ bytes: [UInt8]) throws(Failure) -> SeriesState {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try SeriesState(decoding: bytes) }
    }.get()
  }

  @Test(arguments: 0..<100 as Range<UInt64>, [1, 300, 1 << 26])
  func rowsSurviveTheRoundTrip(seed: UInt64, guardCount: Int) throws {
    var random = SplitMix64(state: seed)
    let state = StateFixture.state(&random, guardCount: guardCount)
    #expect(try decode(state.encoded()) == state)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func whatWatchersMissedSurvivesTheRoundTrip(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var state = StateFixture.state(&random, guardCount: 300)
    for (_, path) in SeriesTotals.watched { state.totals[keyPath: path] = 0 }
    let before = state.encoded()
    let (first, last) = (UInt32(seed), 100 + UInt32(seed))
    state.unseen = UnseenFunctions(
      gaps: RangeSet([first..<first + 1, last..<last + 50]), lacksStart: seed % 2 == 0, of: 300)
    state.totals.windows = Int(seed)
    let bytes = state.encoded()
    #expect(try decode(bytes) == state)
    // A row that no watcher has added to ends before.
    #expect(bytes.starts(with: before) && bytes.count < before.count + 20)
    #expect(try decode(before).unseen.isEmpty)
    for length in before.count + 1..<bytes.count {
      #expect(throws: Failure.self) { try decode(Array(bytes[..<length])) }
    }
    var other = state
    other.unseen = UnseenFunctions(
      gaps: RangeSet([first..<first + 2, last + 49..<last + 60]), lacksStart: false, of: 300)
    other.add(state)
    var both = [first, last + 49, 300 + first, 300 + last + 49]
    if seed % 2 == 0 { both.append(first + 1) }
    #expect((0..<600).filter(other.unseen.contains).count == (seed % 2 == 0 ? 15 : 4))
    #expect(both.allSatisfy(other.unseen.contains))
  }

  /// Sums of rows that strangers made up.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func numbersBeyondTheLimitsAreWrittenAsTheLargest(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var state = StateFixture.state(&random, most: .max)
    state.totals.seconds = [.infinity, .nan, -1, 1e300].randomElement(using: &random)!
    let limit = 1 << 42
    let back = try decode(state.encoded())
    #expect(back.totals.runs == min(state.totals.runs, limit))
    #expect(back.totals.drops == min(state.totals.drops, limit))
    #expect(back.totals.seconds == 0 || back.totals.seconds == 1e15)
    #expect(back.startups.counts == state.startups.counts.mapValues { min($0, limit) })
    #expect(back.sums.called.map(\.0) == state.sums.called.map(\.0))
    #expect(back.sums.called.map(\.1.runs) == state.sums.called.map { min($0.1.runs, limit) })
    #expect(back.sums.called.map(\.1.hosts) == state.sums.called.map { min($0.1.hosts, limit) })
  }

  @Test func timesAreToTheHourOfTheRowsDay() throws {
    var random = SplitMix64(state: 1)
    var state = StateFixture.state(&random)
    state.key.series.day = FleetDay(number: 20_000)
    let day = state.key.day.start
    for (times, hours) in [
      ((day + 3599, day + 3600), (0.0, 1.0)), ((day - 5, day + 86_400 * 3), (0, 23)),
      ((-.infinity, .infinity), (0, 23)), ((.nan, .nan), (0, 0)),
    ] {
      state.sums = GuardSums(
        guardCount: 300, [7: GuardSum(runs: 1, firstSeen: times.0, lastSeen: times.1)])
      let sum = try decode(state.encoded()).sums[7]
      #expect(sum.firstSeen == day + hours.0 * 3600 && sum.lastSeen == day + hours.1 * 3600)
    }
  }

  @Test func aCutOffRowIsRefusedAtEveryLength() {
    var random = SplitMix64(state: 3)
    for _ in 0..<10 {
      let bytes = StateFixture.state(&random).encoded()
      for length in bytes.indices {
        #expect(throws: Failure.self) { try decode(Array(bytes[..<length])) }
      }
      #expect(throws: Failure.self) { try decode(bytes + [0]) }
    }
  }

  /// What can still be read after damage can be written and read again, and holds what its bytes paid for.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func damageNeverEndsTheReader(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let whole = StateFixture.state(&random, guardCount: 1 << 26).encoded()
    for _ in 0..<500 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      guard let state = try? decode(bytes) else { continue }
      #expect(state.sums.calledCount * 5 + state.callers.count * 2 <= bytes.count)
      #expect(state.sums.called.allSatisfy { Int($0.0) < state.key.guardCount && $0.1.runs > 0 })
      #expect(throws: Never.self) { try decode(state.encoded()) }
    }
  }

  /// Few bytes that claim 2^26 functions.
  @Test func functionsTakeAsManyBytesAsTheyClaimMemory() throws {
    var random = SplitMix64(state: 5)
    var state = StateFixture.state(&random, guardCount: 1 << 26)
    state.sums = GuardSums(guardCount: 1 << 26)
    state.callers = [:]
    let bytes = state.encoded()
    // Two empty lists end the row: functions and callers.
    #expect(bytes.suffix(2) == [0, 0])
    let start = Array(bytes[..<(bytes.count - 2)])
    let claimed: [UInt8] = [0x80, 0x80, 0x80, 0x20, 0]
    #expect(throws: Failure.self) { try decode(start + claimed) }
    // A number for each function, and nothing else of them.
    let numbers: [UInt8] = [0xe8, 0x07] + Array(repeating: 1, count: 1000) + [0]
    #expect(throws: Failure.self) { try decode(start + numbers) }
  }

  /// A byte for each of many equal numbers deflates to nothing.
  @Test func aRowCallsNoMoreFunctionsThanAProcessMay() throws {
    var random = SplitMix64(state: 5)
    var state = StateFixture.state(&random, guardCount: 1 << 26)
    (state.sums, state.callers) = (GuardSums(guardCount: 1 << 26), [:])
    let start = state.encoded().dropLast(2)
    let count = TraceLimits.firstCalls + 1
    let many = [0x81, 0x80, 0x40] + [UInt8](repeating: 1, count: 5 * count)
    let failure = #expect(throws: Failure.self) { try decode(start + many + [0]) }
    #expect(failure?.problem.contains("\(count) functions, at most 1048576") == true)
  }

  @Test func onlyCalledFunctionsHaveCallers() throws {
    var random = SplitMix64(state: 6)
    var state = StateFixture.state(&random)
    state.sums = GuardSums(guardCount: 300, [5: GuardSum(runs: 1), 9: GuardSum(runs: 1)])
    for callers in [[5: 0x4000], [9: 0x4000], [5: 1, 9: 2], [:]] as [[UInt32: UInt64]] {
      state.callers = callers
      #expect(try decode(state.encoded()).callers == callers)
    }
    for callers in [[6: 0x4000], [5: 1, 10: 2], [5: 1, 6: 2, 9: 3]] as [[UInt32: UInt64]] {
      state.callers = callers
      #expect(throws: Failure.self) { try decode(state.encoded()) }
    }
    // What a ledger moves to another row keeps to that, too.
    (state.callers, state.startups, state.stages) = (
      [5: 1, 9: 2], StartupHistogram(), StageHistograms()
    )
    var earlier = state
    earlier.sums = GuardSums(guardCount: 300, [5: GuardSum(runs: 1)])
    state.subtract(earlier)
    #expect(state.callers == [9: 2])
    #expect(try decode(state.encoded()).callers == [9: 2])
  }

  @Test func callersOfABuildSurviveTheRoundTrip() throws {
    let callers: [UInt32: UInt64] = [0: 1, 7: .max, 67_108_863: 0x4000]
    #expect(try CallerCoding.decode(CallerCoding.encode(callers)) == callers)
    #expect(try CallerCoding.decode(CallerCoding.encode([:])).isEmpty)
    #expect(throws: Failure.self) { try CallerCoding.decode(CallerCoding.encode(callers) + [0]) }
  }

  @Test func rowsOfOneKeyAddUp() {
    var random = SplitMix64(state: 8)
    let first = StateFixture.state(&random)
    var second = StateFixture.state(&random)
    second.key = first.key
    var sum = first
    sum.add(second)
    #expect(sum.version == first.version)
    for name in Set(first.names.sorted + second.names.sorted) {
      let runs = [first, second].map { $0.names.uses[name]?.runs ?? 0 }
      #expect(sum.names.uses[name]?.runs == runs[0] + runs[1])
    }
    #expect(sum.isExecutable == (first.isExecutable || second.isExecutable))
    #expect(sum.totals == first.totals + second.totals)
    for bucket in Set(first.startups.counts.keys).union(second.startups.counts.keys) {
      #expect(
        sum.startups.counts[bucket]
          == first.startups.counts[bucket, default: 0] + second.startups.counts[bucket, default: 0])
    }
    for guardIndex in UInt32(0)..<300 {
      let callers = [first.callers[guardIndex], second.callers[guardIndex]].compactMap { $0 }
      #expect(sum.callers[guardIndex] == callers.min())
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func whatWasCountedSinceIsTheDifference(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let earlier = StateFixture.state(&random)
    var since = StateFixture.state(&random)
    since.key = earlier.key
    since.startups.counts = since.startups.counts.filter { $0.value > 0 }
    since.stages.histograms = since.stages.histograms.filter { $0.value.total > 0 }
    since.sums = GuardSums(
      guardCount: earlier.sums.guardCount,
      Dictionary(
        uniqueKeysWithValues: since.sums.called.filter { $0.0 < earlier.sums.guardCount }))
    var now = earlier
    now.add(since)
    var rest = now
    rest.subtract(earlier)
    #expect(rest.totals.runs == since.totals.runs && rest.totals.hosts == since.totals.hosts)
    #expect(rest.startups == since.startups && rest.stages == since.stages)
    #expect(
      rest.sums.called.map { [Int($0.0), $0.1.runs, $0.1.hosts] }
        == since.sums.called.map { [Int($0.0), $0.1.runs, $0.1.hosts] })
  }

  @Test func withoutAPathANameIsThatOfTheFile() {
    var random = SplitMix64(state: 9)
    var state = StateFixture.state(&random)
    for (path, name) in [("/opt/app/server", "server"), ("server", "server"), ("/", ""), ("", "")] {
      state.names = ImageNames(path, runs: 3)
      #expect(state.withoutPath().names == ImageNames(name, runs: 3))
    }
  }
}
