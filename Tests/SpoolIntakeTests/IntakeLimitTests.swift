import FirstlightModel
import FleetModel
import TestSupport
import Testing

@testable import SpoolIntake
@testable import TraceReader

/// How many processes are taken in at once, and which of them keep the order of their calls.
@Suite struct IntakeLimitTests {
  private static func process(_ pid: UInt32, user: UInt32) -> KnownProcess {
    let id = ProcessID(pid: pid, namespace: 0, start: 1, key: 1)
    var process = KnownProcess(entry: TraceEntry(process: id, segments: []))
    process.user = user
    return process
  }

  private static func admitted(
    _ rate: inout IntakeRate, _ pids: [UInt32], users: [UInt32], now: Double
  ) -> [UInt32] {
    rate.admit(zip(pids, users).map { process($0, user: $1) }, now: now).map(\.process.pid)
  }

  @Test func oneUsersProcessesHoldUpNobodyElse() {
    var rate = IntakeRate(limit: 2)
    let users: [UInt32] = [7, 7, 7, 8, 7]
    #expect(Self.admitted(&rate, [1, 2, 3, 4, 5], users: users, now: 100) == [1, 2, 4])
  }

  @Test func theRateRefillsWithTimeUpToItsLimit() {
    var rate = IntakeRate(limit: 2)
    let users: [UInt32] = [7, 7, 7]
    #expect(Self.admitted(&rate, [1, 2, 3], users: users, now: 100) == [1, 2])
    #expect(Self.admitted(&rate, [3, 4, 5], users: users, now: 100.5) == [3])
    #expect(Self.admitted(&rate, [4, 5, 6], users: users, now: 900) == [4, 5])
  }

  @Test func aClockThatIsSetBackAdmitsNobody() {
    var rate = IntakeRate(limit: 1)
    #expect(Self.admitted(&rate, [1, 2], users: [7, 7], now: 100) == [1])
    #expect(Self.admitted(&rate, [2], users: [7], now: 50).isEmpty)
    #expect(Self.admitted(&rate, [2], users: [7], now: 51) == [2])
  }

  private static let program = BuildKey(buildID: BuildID("aa")!)

  @Test(arguments: 0..<8 as Range<UInt64>)
  func theHundredSmallestFamiliesAreWantedInWhateverOrderTheyCome(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let families = (0..<1000).map { _ in generator.next() }
    var limits = SampleLimits()
    #expect(limits[Self.program] == .max)
    for family in families where family <= limits[Self.program] {
      limits.sampled(family, of: Self.program)
    }
    #expect(limits[Self.program] == families.sorted()[99])
    #expect(limits[BuildKey(buildID: BuildID("bb")!)] == .max)
  }

  @Test func aFamilyThatDoesNotFitIsLeftOutAsAWhole() {
    var limits = SampleLimits()
    for family in UInt64(1)...98 { limits.sampled(family, of: Self.program) }
    limits.sampled(99, of: Self.program)
    #expect(limits[Self.program] == .max)
    limits.sampled(99, of: Self.program)
    #expect(limits[Self.program] == 99)
    limits.sampled(99, of: Self.program)
    #expect(limits[Self.program] == 98)
  }

  @Test func aReceiversLimitNeverRises() {
    var limits = SampleLimits()
    for limit in [500, 900, 300] as [UInt64] { limits.lower(to: [Self.program: limit]) }
    #expect(limits[Self.program] == 300)
  }
}
