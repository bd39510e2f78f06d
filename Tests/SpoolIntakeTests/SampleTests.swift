import FirstlightModel
import FleetModel
import TestSupport
import Testing

@testable import SpoolIntake

/// Which traces a ledger keeps in full.
@Suite struct SampleTests {
  private let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  private func families() throws -> [UInt64] {
    try fixture.ledger.sampledFamilies()[LedgerFixture.program]?.map(\.family) ?? []
  }

  private func count(families: [UInt64]) throws {
    try fixture.count(
      families.map {
        LedgerFixture.trace(Int(truncatingIfNeeded: $0), family: $0, ordered: true)
      })
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func theSmallestFamiliesStayInWhateverOrderTheyCome(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let all = (0..<300).map { _ in random.next() }
    for start in stride(from: 0, to: 300, by: 37) {
      try count(families: Array(all[start..<min(300, start + 37)]))
    }
    try fixture.reopen()
    #expect(try families() == Array(all.sorted().prefix(TraceSampleRule.size)))
  }

  @Test func theReceiversLimitRemovesWhatItHasNoRoomFor() throws {
    try count(families: [3, 1 << 63, 7, .max])
    _ = try fixture.settle { $0.sampleLimits = [LedgerFixture.program: 1 << 63] }
    #expect(try families() == [3, 7, 1 << 63])
    _ = try fixture.settle { $0.sampleLimits = [LedgerFixture.program: 7] }
    // It never rises.
    _ = try fixture.settle { $0.sampleLimits = [LedgerFixture.program: 900] }
    try count(families: [8, 5])
    #expect(try families() == [3, 5, 7])
    #expect(try fixture.ledger.sampleLimits() == [LedgerFixture.program: 7])
  }

  @Test func whatTheReceiverHasIsNotSentAgain() throws {
    try count(families: [1, 2, 3])
    let waiting = try fixture.samples()
    let traces = try waiting.map { try $0.bytes.withUnsafeBytes { try StateBatch.sample($0) } }
    #expect(traces.map(\.family) == [1, 2, 3])
    #expect(traces.allSatisfy { $0.calls.count == 2 })
    _ = try fixture.settle { $0.samples = Array(waiting.prefix(2)) }
    try fixture.reopen()
    #expect(try fixture.samples().map(\.id) == [waiting[2].id])
  }

  @Test func whatTheReceiverCannotReadIsTriedAgainLater() throws {
    try count(families: [1, 2])
    let waiting = try fixture.samples()
    try fixture.ledger.park(waiting[0])
    #expect(try fixture.samples().map(\.id) == [waiting[1].id])
    #expect(try families() == [1, 2])
    try fixture.ledger.retryParked()
    #expect(try fixture.samples().map(\.id) == waiting.map(\.id))
  }
}
