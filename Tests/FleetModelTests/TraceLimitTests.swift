import FirstlightModel
import Testing

@testable import FleetModel

/// What strangers say of a process takes no more memory and time than there is, however few bytes say it.
@Suite struct TraceLimitTests {
  private static let start = 1_790_000_000.0

  /// 4,000 days of a build of 2^26 guards.
  @Test func sumsTakeWhatWasCalledNotWhatMightBe() {
    let calls = (0..<4000 as Range<UInt64>).map { day in
      RecordedCall(
        build: 0, guardIndex: UInt32(day) * 16_000, thread: 1, time: day * 86_400_000_000_000)
    }
    var tally = StateTally(labels: FleetLabels())
    var (run, host) = (CoverageTally(), CoverageTally())
    tally.count(Self.process(calls, guardCount: 1 << 26), run: &run, host: &host)
    let states = tally.states()
    #expect(states.count == 4000)
    #expect(states.allSatisfy { $0.sums.calledCount == 1 && $0.encoded().count < 100 })
  }

  /// Hours of a process are told apart in one go, and those that only touch count once.
  @Test func hoursAreGroupedWhateverTheOrderOfCalls() {
    let calls = (0..<2000).map { number in
      // Two hours in turn.
      RecordedCall(
        build: 0, guardIndex: UInt32(number), thread: 1,
        time: UInt64(number % 2) * 3_600_000_000_000 + UInt64(number))
    }
    let process = Self.process(calls, guardCount: 1 << 26)
    #expect(process.excess == nil)
    let seen = process.seen(without: CoverageTally())[0]
    #expect(seen.map(\.guards.count) == [1000, 1000])
    #expect(seen[0].guards.contains(1998) && seen[1].guards.contains(1999))
    #expect(seen[0].time < seen[1].time)
  }

  @Test func aProcessBeyondTheLimitsSaysSo() {
    func calls(_ count: Int, every seconds: UInt64) -> [RecordedCall] {
      (0..<count).map {
        RecordedCall(
          build: 0, guardIndex: UInt32($0), thread: 1, time: UInt64($0) * seconds * 1_000_000_000)
      }
    }
    #expect(
      Self.process(calls(70_000, every: 3600), guardCount: 1 << 26).excess?.contains("hours")
        == true)
    #expect(
      Self.process(calls(9000, every: 86400), guardCount: 1 << 26).excess?.contains("days") == true)
    #expect(Self.process(calls(8000, every: 86400), guardCount: 1 << 26).excess == nil)
    #expect(
      Self.process(calls((1 << 20) + 1, every: 0), guardCount: 1 << 26).excess?.contains(
        "first calls") == true)
    #expect(
      Self.process(calls(1, every: 0), guardCount: (1 << 26) + 1).excess?.contains("guards") == true
    )
  }

  /// What a host makes of any process within the limits, a receiver takes: else one process would have
  /// the traces beside it refused.
  @Test func whateverIsCountedCanBeRead() throws {
    var (run, host) = (CoverageTally(), CoverageTally())
    // A process of the same run said that the build has more guards.
    let other = Self.process(
      [RecordedCall(build: 0, guardIndex: 9, thread: 1, time: 0)], guardCount: 10)
    var tally = StateTally(labels: FleetLabels())
    tally.count(other, run: &run, host: &host)
    host = CoverageTally()
    var process = Self.process(
      [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 0)], guardCount: 4)
    process.images[0].name = "/x" + String(repeating: "\u{fffd}", count: 2046)
    process.losses = Losses(drops: .max, uncommitted: 1 << 40, lostImages: 3, unreadableSegments: 4)
    tally.count(process, run: &run, host: &host)
    for state in tally.states(version: 1) {
      let back = try state.encoded().withUnsafeBytes { try SeriesState(decoding: $0) }
      #expect(back.sums.calledCount == 1)
    }
    let trace = try #require(FleetTrace(process, labels: FleetLabels(), seconds: 1))
    let read = try StateBatch.encode(sample: trace).withUnsafeBytes { try StateBatch.sample($0) }
    #expect(read.images[0].name.hasPrefix("/x\u{fffd}") && read.images[0].name.utf8.count > 4090)
    #expect(
      read.losses
        == Losses(
          drops: 0xffff_ffff, uncommitted: 0xffff_ffff, lostImages: 3, unreadableSegments: 4))
  }

  private static func process(_ calls: [RecordedCall], guardCount: Int) -> ObservedProcess {
    ObservedProcess(
      run: "run", process: "1", forkedFrom: nil, root: "1", host: "h", startedAt: start, seconds: 1,
      readyAfter: nil, losses: Losses(),
      images: [
        ObservedProcess.Image(
          build: BuildKey(buildID: BuildID("aabbcc")!), name: "evil", isExecutable: true,
          guardCount: guardCount)
      ], calls: calls, callers: [])
  }
}
