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
    #expect(try fixture.ledger.rowsToCompare(after: 0)?.rows.count == 19)
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
    // What comes late counts on the first open day.
    try fixture.count(daysAgo: 2)
    try fixture.count()
    #expect(try await fixture.sender.send(.atOnce))
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.monitor.now.counts[.lost] == nil)
    #expect(fixture.receiver.runs == 2)
    #expect(try fixture.ledger.rowsToCompare(after: 0)?.rows.count == 1)
  }

  /// As when a machine is restored from yesterday's backup.
  @Test(arguments: [false, true])
  func aLedgerThatIsAnOlderCopyAddsToWhatIsThere(comparesFirst: Bool) async throws {
    let fixture = try SenderFixture()
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    // Counted, and not sent when the backup was made.
    try fixture.count()
    let copy = fixture.directory.path("copy.sqlite")
    try fixture.ledger.copy(to: copy)
    for _ in 0..<4 {
      try fixture.count(SenderFixture.builds.prefix(2))
      _ = try await fixture.sender.send(.atOnce)
    }
    #expect(fixture.receiver.runs == 10)
    try fixture.open(copy)
    for _ in 0..<3 { try fixture.count() }
    if comparesFirst { try await fixture.sender.compare() }
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == 13)
    #expect(fixture.monitor.now.counts[.lost] == nil)
  }

  /// Machines from one image, of which the first goes on.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func copiesThatRunTogetherDisturbNoOther(seed: UInt64) async throws {
    var random = SplitMix64(state: seed)
    let fixture = try SenderFixture()
    var ledgers = [fixture.ledger]
    var runs = 0
    for round in 0..<40 {
      let place = Int.random(in: ledgers.indices, using: &random)
      fixture.use(ledgers[place])
      let builds = SenderFixture.builds.prefix(3).filter { _ in Bool.random(using: &random) }
      try fixture.count(builds)
      runs += builds.count
      fixture.pass(Double.random(in: 0...1000, using: &random))
      let trouble = Int.random(in: 0..<4, using: &random)
      fixture.receiver.with { $0.losesAnswers = trouble == 0 }
      if trouble < 3 { _ = try? await fixture.sender.send(.atOnce) }
      if trouble == 3 { _ = try? await fixture.sender.compare() }
      if round % 10 == 5 {
        let path = fixture.directory.path("copy-\(round).sqlite")
        try ledgers[place].copy(to: path)
        try fixture.open(path)
        ledgers.append(fixture.ledger)
      }
    }
    fixture.receiver.with { $0.losesAnswers = false }
    for ledger in ledgers {
      fixture.use(ledger)
      _ = try await fixture.sender.send(.atOnce)
    }
    #expect(fixture.receiver.runs == runs)
  }

  /// As when a machine is resumed from a snapshot that it has left behind, or twice from one. The memory is that of the
  /// snapshot: no file is opened again.
  @Test(arguments: [false, true])
  func aResumedSnapshotBeginsANewLife(comparesFirst: Bool) async throws {
    let fixture = try SenderFixture()
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    let (_, before) = try #require(try fixture.ledger.rowsToCompare(after: 0))
    let taken = fixture.receiver.rows
    // What the other copy sends from here on.
    for number in 1...3 as ClosedRange<UInt64> {
      var other = taken[0]
      other.version = RowVersion(changes: 1 + number, mark: UInt32(number))
      other.follows =
        number == 1
        ? before[0].acknowledged : RowVersion(changes: number, mark: UInt32(number - 1))
      other.totals.runs += Int(number)
      try await fixture.receiver.take(other, as: fixture.secret)
    }
    #expect(fixture.receiver.runs == 4)
    for _ in 0..<7 { try fixture.count() }
    if comparesFirst { try await fixture.sender.compare() }
    _ = try await fixture.sender.send(.atOnce)
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == 11)
    #expect(fixture.receiver.with { $0.rows.count } == 2)
    // And goes on.
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == 12)
    try await fixture.sender.compare()
    #expect(try await !fixture.sender.send(.atOnce))
  }

  /// A receiver may have what it did not answer, so it gets the same again before anything else.
  @Test func whatWasNotAnsweredIsSentAgainAsItWas() async throws {
    let fixture = try SenderFixture()
    fixture.receiver.with { $0.losesAnswers = true }
    for _ in 0..<3 {
      try fixture.count()
      _ = try? await fixture.sender.send(.atOnce)
    }
    #expect(fixture.receiver.runs == 1)
    fixture.receiver.with { $0.losesAnswers = false }
    _ = try await fixture.sender.send(.atOnce)
    #expect(fixture.receiver.runs == 3)
    #expect(fixture.receiver.with { $0.rows.count } == 1)
  }

  @Test(arguments: [false, true])
  func pathsLeaveNoHost(isOfThisHost: Bool) async throws {
    let fixture = try SenderFixture(FakeReceiver(isOfThisHost: isOfThisHost))
    try fixture.count()
    _ = try await fixture.sender.send(.atOnce)
    #expect(
      fixture.receiver.rows.map(\.names.paths) == [[isOfThisHost ? "/opt/app/bin/app" : "app"]])
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
