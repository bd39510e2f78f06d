import FirstlightModel
import FleetModel
import Foundation
import SpoolIntake
import TestSupport
import Testing

@testable import Collector

/// What a receiver has after all that can happen on the way.
@Suite struct LedgerSenderTests {
  /// Counts, deliveries that fail before or after they were taken, and daemons that die, in any order.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func allRunsArriveOnceWhateverHappens(seed: UInt64) async throws {
    var random = SplitMix64(state: seed)
    let fixture = try SenderFixture()
    var runs = 0
    for _ in 0..<60 {
      let builds = SenderFixture.builds.prefix(4).filter { _ in Bool.random(using: &random) }
      try fixture.count(builds)
      runs += builds.count
      fixture.pass(Double.random(in: 0...2000, using: &random))
      if Int.random(in: 0..<8, using: &random) == 0 { try fixture.reopen() }
      let trouble = Int.random(in: 0..<4, using: &random)
      fixture.receiver.with {
        $0.isDown = trouble == 0
        $0.losesAnswers = trouble == 1
      }
      _ = try? await fixture.sender.compare()
      _ = try? await fixture.sender.send(.upstream)
    }
    fixture.receiver.with { ($0.isDown, $0.losesAnswers) = (false, false) }
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == runs)
    #expect(fixture.receiver.with { $0.rows.count } == 1)
    #expect(try fixture.ledger.waitingSize().rows == 0)
    #expect(fixture.monitor.now.counts[.lost] == nil)
  }

  @Test func oneRefusedRowKeepsNoOtherFromBeingTaken() async throws {
    let fixture = try SenderFixture()
    let bad = SenderFixture.builds[3]
    fixture.receiver.with { $0.refusal = { $0.build == bad ? "dropped" : nil } }
    try fixture.count(SenderFixture.builds)
    #expect(try await fixture.sender.send(.upstream))
    #expect(fixture.receiver.rows.count == 19)
    let counts = fixture.monitor.now.counts
    #expect(counts[.delivered] == 19 && counts[.refused] == 1 && counts[.lost] == 1)
    #expect(try fixture.ledger.rowsToCompare(after: 0).count == 19)
    #expect(try await !fixture.sender.send(.atOnce))
  }

  @Test func ofABatchThatCannotBeReadOnlyTheRowToBlameStaysBehind() async throws {
    let fixture = try SenderFixture()
    let bad = SenderFixture.builds[13]
    fixture.receiver.with { $0.isUnreadable = { $0.build == bad } }
    try fixture.count(SenderFixture.builds, ordered: true)
    #expect(try await fixture.sender.send(.upstream))
    #expect(fixture.receiver.rows.count == 19)
    #expect(fixture.receiver.with { $0.samples.values.first?.count } == 20)
    // Halves of halves.
    #expect(fixture.receiver.with { $0.batches.count } < 14)
    #expect(fixture.monitor.now.counts[.refused] == 1)
    #expect(try await !fixture.sender.send(.atOnce))
    // The one that stayed is tried once it changes.
    fixture.receiver.with { $0.isUnreadable = { _ in false } }
    try fixture.count([bad])
    #expect(try await fixture.sender.send(.atOnce))
    #expect(fixture.receiver.runs == 21)
  }

  @Test func aReceiverThatCannotCompareStillGetsRows() async throws {
    let fixture = try SenderFixture()
    fixture.receiver.with { $0.refusesToCompare = true }
    try fixture.count()
    try await fixture.sender.compare()
    #expect(!fixture.ledger.needsComparison)
    #expect(try await fixture.sender.send(.upstream))
    #expect(fixture.receiver.runs == 1)
  }

  @Test func aStoreThatLostItsDiskIsFilledAgain() async throws {
    let fixture = try SenderFixture()
    for _ in 0..<3 { try fixture.count(SenderFixture.builds.prefix(5), ordered: true) }
    _ = try await fixture.sender.send(.upstream)
    let before = fixture.receiver.rows
    fixture.receiver.with {
      $0.rows = [:]
      $0.samples = [:]
    }
    try await fixture.sender.compare()
    #expect(try await fixture.sender.send(.upstream))
    #expect(Set(fixture.receiver.rows) == Set(before))
    #expect(fixture.receiver.with { $0.samples.values.first?.count } == 15)
    try await fixture.sender.compare()
    #expect(try await !fixture.sender.send(.atOnce))
  }

  @Test func daysThatAreClosedAreNotFilledAgain() async throws {
    let fixture = try SenderFixture()
    try fixture.count(daysAgo: 2)
    _ = try await fixture.sender.send(.upstream)
    fixture.receiver.with {
      $0.rows = [:]
      $0.firstOpenDay = FleetDay(of: fixture.now)
    }
    try await fixture.sender.compare()
    #expect(try await !fixture.sender.send(.atOnce))
    // What comes late is refused and told, and the day forgotten.
    try fixture.count(daysAgo: 2)
    try fixture.count()
    #expect(try await fixture.sender.send(.atOnce))
    #expect(fixture.monitor.now.counts[.lost] == 1)
    #expect(try fixture.ledger.rowsToCompare(after: 0).count == 1)
  }

  /// As when a machine is restored from yesterday's backup.
  @Test(arguments: [1, 30])
  func aLedgerThatIsAnOlderCopyCountsAnew(runsSince: Int) async throws {
    let fixture = try SenderFixture()
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    let copy = fixture.directory.path("copy.sqlite")
    try fixture.ledger.copy(to: copy)
    for _ in 0..<5 {
      try fixture.count()
      _ = try await fixture.sender.send(.atOnce)
    }
    #expect(fixture.receiver.runs == 6)
    try fixture.open(copy)
    // Counting does not wait for the comparison, and may have gone further than the receiver.
    for _ in 0..<runsSince { try fixture.count() }
    try await fixture.sender.compare()
    #expect(fixture.monitor.now.counts[.lost] == runsSince)
    for _ in 0..<4 { try fixture.count() }
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == 10)
    #expect(fixture.receiver.with { $0.rows.count } == 2)
  }

  /// A row that the copy did not know of yet is noticed when it is sent.
  @Test func aRowThatTheReceiverHasOfAnotherIsNoticedAtOnce() async throws {
    let fixture = try SenderFixture()
    let copy = fixture.directory.path("copy.sqlite")
    try fixture.ledger.copy(to: copy)
    for _ in 0..<3 {
      try fixture.count()
      _ = try await fixture.sender.send(.atOnce)
    }
    try fixture.open(copy)
    try await fixture.sender.compare()
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == 3 && fixture.monitor.now.counts[.lost] == 1)
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == 4)
  }

  @Test(arguments: [false, true])
  func pathsLeaveNoHost(isOfThisHost: Bool) async throws {
    let fixture = try SenderFixture(FakeReceiver(isOfThisHost: isOfThisHost))
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.rows.map(\.name) == [isOfThisHost ? "/opt/app/bin/app" : "app"])
  }
}

extension IntakeLedger {
  /// As a backup makes it: of a moment.
  fileprivate func copy(to path: String) throws {
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: self.path + suffix, toPath: path + suffix)
    }
  }
}
