import FirstlightModel
import FleetModel
import Testing

@testable import ClickHouseStore

/// What a batch adds to what is known.
@Suite struct BatchTests {
  private static let program = BuildKey(buildID: BuildID("aa")!)

  private static func trace(
    _ number: UInt64, family: UInt64? = nil, guards: Int = 4, hasCalls: Bool = true
  ) -> FleetTrace {
    FleetTrace(
      id: TraceID(high: 0, low: number), run: "\(number)", process: "0", family: family ?? number,
      host: "host", startedAt: 1_790_000_000, seconds: 1, countsRun: true,
      images: [
        FleetImage(
          build: program, name: "server", isExecutable: true, guardCount: guards, countsRun: true,
          countsHost: false, seen: [], newOnHost: [])
      ], program: 0, callCount: 0, calls: hasCalls ? [] : nil)
  }

  @Test func knownTracesAddNothing() {
    var known = ClickHouseFleetStore.Known()
    known.traces = [TraceID(high: 0, low: 1)]
    let batch = Batch([[Self.trace(1), Self.trace(2), Self.trace(2)]], known: known)
    #expect(batch.receipts[0].added == 1)
    #expect(batch.receipts[0].known == 2)
    #expect(batch.ids == [TraceID(high: 0, low: 2)])
  }

  @Test func aTraceThatContradictsItsBuildIsRefused() throws {
    var known = ClickHouseFleetStore.Known()
    known.guards = [Self.program: 4]
    let batch = Batch([[Self.trace(1, guards: 5), Self.trace(2)]], known: known)
    #expect(batch.ids == [TraceID(high: 0, low: 2)])
    let refused = try #require(batch.receipts[0].refused.first)
    #expect(refused.id == TraceID(high: 0, low: 1))
    #expect(refused.reason.hasSuffix("has 5 guards in this trace, 4 in others"))
    // Of a build that nobody knows the first one of the batch counts.
    let unknown = Batch([[Self.trace(1, guards: 5), Self.trace(2)]], known: .init())
    #expect(unknown.ids == [TraceID(high: 0, low: 1)])
  }

  @Test func tracesBeyondTheSamplesLimitAreCountedOnly() {
    var known = ClickHouseFleetStore.Known()
    known.sampleLimits = [Self.program: 50]
    var batch = Batch(
      [[Self.trace(1, family: 51), Self.trace(2, family: 50), Self.trace(3, hasCalls: false)]],
      known: known)
    #expect(batch.samplePrograms == [Self.program])
    batch.trimSample([:])
    #expect(batch.receipts[0].added == 3)
    #expect(batch.sampled.map(\.family) == [50])
    #expect(batch.newLimits.isEmpty)
    #expect(batch.receipts[0].sampleLimits == [Self.program: 50])
  }

  @Test func aFullSampleLowersTheLimit() {
    var batch = Batch(
      [(0..<60).map { Self.trace($0, family: $0 < 40 ? 20 : 30) }], known: .init())
    batch.trimSample([Self.program: [10: 60]])
    // 60 and 40 are a hundred: there is room for nothing above.
    #expect(batch.newLimits == [Self.program: 20])
    #expect(batch.sampled.count == 40)
    #expect(batch.receipts[0].sampleLimits == [Self.program: 20])
  }

  @Test func aFamilyThatDoesNotFitLeavesRoomForSmallerOnes() {
    var batch = Batch([(0..<41).map { Self.trace($0, family: 20) }], known: .init())
    batch.trimSample([Self.program: [10: 60]])
    #expect(batch.newLimits == [Self.program: 19])
    #expect(batch.sampled.isEmpty)
  }

  @Test func eachSenderHasItsOwnReceipt() {
    var known = ClickHouseFleetStore.Known()
    known.traces = [TraceID(high: 0, low: 1)]
    known.guards = [Self.program: 4]
    known.sampleLimits = [Self.program: 50]
    let batch = Batch(
      [[Self.trace(1), Self.trace(2)], [Self.trace(2), Self.trace(3, guards: 5)], []],
      known: known)
    #expect(batch.receipts.map(\.added) == [1, 0, 0])
    // What another sender has in the same attempt is known once that is in.
    #expect(batch.receipts.map(\.known) == [1, 1, 0])
    #expect(batch.receipts.map(\.refused.count) == [0, 1, 0])
    #expect(batch.receipts.map(\.sampleLimits.count) == [1, 1, 0])
    #expect(batch.ids == [TraceID(high: 0, low: 2)])
  }
}
