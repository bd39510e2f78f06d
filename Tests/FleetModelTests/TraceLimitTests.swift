import FirstlightModel
import Testing

@testable import FleetModel

/// What strangers say of a process takes no more memory and time than there is, however few bytes say it.
@Suite struct TraceLimitTests {
  private static let start = 1_790_000_000.0

  private static func trace(
    _ guardCount: Int, seen: [SeenGuards], number: UInt64 = 1, day: Double = 0
  ) -> FleetTrace {
    FleetTrace(
      id: TraceID(high: number, low: 7), run: "r\(number)", process: "1-2-3", family: number,
      host: "h", startedAt: start + day * 86400, seconds: 1, countsRun: true,
      images: [
        FleetImage(
          build: BuildKey(buildID: BuildID("aabbcc")!), name: "evil", isExecutable: true,
          guardCount: guardCount, countsRun: true, countsHost: true, seen: seen, newOnHost: [])
      ], program: 0, callCount: 1, calls: nil)
  }

  /// 4,000 days of a build of 2^26 guards, in 44 KB.
  @Test func sumsTakeWhatWasCalledNotWhatMightBe() {
    let seen = (1...4000).map {
      SeenGuards(time: Self.start + Double($0) * 86400, guards: [3, 67_108_863])
    }
    let sums = BatchSums([Self.trace(1 << 26, seen: seen)])
    let called = sums.series.values.filter { !$0.guards.isEmpty }
    #expect(called.count == 4000)
    #expect(called.allSatisfy { $0.guards == [3, 67_108_863] && $0.sums.map(\.runs) == [1, 1] })
  }

  @Test(arguments: [
    // Hours, days, first calls as a list and as bits.
    (1 << 16) + 1, -((1 << 13) + 1), (1 << 20) + 1, (1 << 20) + 64,
  ])
  func aTraceBeyondTheLimitsIsRefused(count: Int) {
    let seen: [SeenGuards]
    switch count {
    case 1 << 16 + 1: seen = (0..<count).map { SeenGuards(time: Double($0) * 3600, guards: [1]) }
    case ..<0: seen = (0 ..< -count).map { SeenGuards(time: Double($0) * 86400, guards: [1]) }
    case (1 << 20) + 1: seen = [SeenGuards(time: 1, guards: .list((0..<UInt32(count)).map { $0 }))]
    default:
      let words = [UInt64](repeating: .max, count: count / 64)
      seen = [SeenGuards(time: 1, guards: .bits(GuardSet(words: words)))]
    }
    let bytes = FleetBatch.encode([Self.trace(1 << 26, seen: seen)])
    #expect(throws: Failure.self) { try bytes.withUnsafeBytes { try FleetBatch.decode($0) } }
  }

  /// Hours of a process are told apart in one go, and those that only touch count once.
  @Test func hoursAreGroupedWhateverTheOrderOfCalls() {
    let calls = (0..<2000).map { number in
      // Two hours in turn.
      RecordedCall(
        build: 0, guardIndex: UInt32(number), thread: 1,
        time: UInt64(number % 2) * 3_600_000_000_000 + UInt64(number))
    }
    var (run, host) = (CoverageTally(), CoverageTally())
    let process = Self.process(calls, guardCount: 1 << 26)
    #expect(process.excess == nil)
    let trace = FleetTrace(
      counting: process, run: &run, host: &host, labels: FleetLabels(), sampleLimit: 0)
    let seen = trace.images[0].seen
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
    _ = FleetTrace(counting: other, run: &run, host: &host, labels: FleetLabels())
    host = CoverageTally()
    var process = Self.process(
      [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 0)], guardCount: 4)
    process.images[0].name = "/x" + String(repeating: "\u{fffd}", count: 2046)
    process.losses = Losses(drops: .max, uncommitted: 1 << 40, lostImages: 3, unreadableSegments: 4)
    let trace = FleetTrace(counting: process, run: &run, host: &host, labels: FleetLabels())
    let read = try FleetBatch.encode([trace]).withUnsafeBytes { try FleetBatch.decode($0) }[0]
    #expect(read.images[0].newOnHost.map(\.guardIndex) == [1])
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
