import FirstlightModel
import FleetModel
import TestSupport
import Testing

@testable import SpoolIntake

/// Which traces a ledger keeps in full.
@Suite struct SampleTests {
  private let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  private static func family(_ rank: Int) -> UInt64 {
    LedgerFixture.family(ofRun: LedgerFixture.ranked[rank])
  }

  /// The families in the ledger, by their rank among all.
  private func ranks() throws -> [Int?] {
    try (fixture.ledger.sampledFamilies()[LedgerFixture.program] ?? []).map { sampled in
      LedgerFixture.ranked.firstIndex { LedgerFixture.family(ofRun: $0) == sampled.family }
    }
  }

  private func count(ranks: [Int]) throws {
    try fixture.count(
      ranks.map { LedgerFixture.trace(LedgerFixture.ranked[$0], ordered: true) })
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func theSmallestFamiliesStayInWhateverOrderTheyCome(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let all = LedgerFixture.ranked.indices.shuffled(using: &random)
    for start in stride(from: 0, to: 400, by: 37) {
      try count(ranks: Array(all[start..<min(400, start + 37)]))
    }
    try fixture.reopen()
    #expect(try ranks() == Array(0..<TraceSampleRule.size))
  }

  @Test func theReceiversLimitRemovesWhatItHasNoRoomFor() throws {
    try count(ranks: [3, 200, 7, 399])
    func limit(_ rank: Int) throws {
      _ = try fixture.settle { $0.sampleLimits = [LedgerFixture.program: Self.family(rank)] }
    }
    try limit(200)
    #expect(try ranks() == [3, 7, 200])
    try limit(7)
    // It never rises.
    try limit(300)
    try count(ranks: [8, 5])
    #expect(try ranks() == [3, 5, 7])
    #expect(try fixture.ledger.sampleLimits() == [LedgerFixture.program: Self.family(7)])
  }

  @Test func whatTheReceiverHasIsNotSentAgain() throws {
    try count(ranks: [1, 2, 3])
    let waiting = try fixture.samples()
    let traces = try waiting.map { try $0.bytes.withUnsafeBytes { try StateBatch.sample($0) } }
    #expect(traces.map(\.family) == [1, 2, 3].map(Self.family))
    #expect(traces.allSatisfy { $0.calls.count == 2 })
    _ = try fixture.settle { $0.samples = Array(waiting.prefix(2)) }
    try fixture.reopen()
    #expect(try fixture.samples().map(\.id) == [waiting[2].id])
  }

  @Test func whatTheReceiverCannotReadIsTriedAgainLater() throws {
    try count(ranks: [1, 2])
    let waiting = try fixture.samples()
    try fixture.ledger.park(waiting[0])
    #expect(try fixture.samples().map(\.id) == [waiting[1].id])
    #expect(try ranks() == [1, 2])
    try fixture.ledger.retryParked()
    #expect(try fixture.samples().map(\.id) == waiting.map(\.id))
  }

  /// A program that forks without end, or a user who says so, is one family.
  @Test func aFamilyTakesNoMoreThanASample() throws {
    let one = LedgerFixture.trace(LedgerFixture.ranked[0], ordered: true)
    let family = (0..<250).map { number in
      var process = one
      process.sample?.process = "\(number)"
      return process
    }
    try fixture.count(Array(family[..<130]))
    try fixture.count(Array(family[130...]))
    let traces = try fixture.samples().map { sample in
      try sample.bytes.withUnsafeBytes { try StateBatch.sample($0) }
    }
    let smallest = family.compactMap { $0.sample?.id }
      .sorted { ($0.high, $0.low) < ($1.high, $1.low) }.prefix(TraceSampleRule.size)
    #expect(traces.count == smallest.count && Set(traces.map(\.id)) == Set(smallest))
  }
}
