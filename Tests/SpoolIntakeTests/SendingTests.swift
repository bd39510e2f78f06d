import FirstlightModel
import FleetModel
import Testing

@testable import SpoolIntake

/// When rows are sent, and what becomes of them then.
@Suite struct SendingTests {
  private let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  /// Counts one run a minute for a day; returns the seconds at which its row was sent.
  private func sendings(_ pace: SendingPace) throws -> [Double] {
    fixture.now = LedgerFixture.day.start
    var sent: [Double] = []
    for second in stride(from: 0.0, to: 86400, by: 10) {
      if second.truncatingRemainder(dividingBy: 60) == 0 {
        try fixture.count([LedgerFixture.trace(Int(second), at: fixture.now)])
      }
      if try !fixture.deliver(pace).isEmpty { sent.append(second) }
      fixture.pass(10)
    }
    return sent
  }

  @Test func aRowOfADayIsSentSomeFiftyTimesUpstream() throws {
    let sent = try sendings(.upstream)
    #expect((35...55).contains(sent.count), "\(sent.count)")
    #expect(sent.first == 0)
    // It changes each minute and is looked at every ten seconds.
    let gaps = zip(sent, sent.dropFirst()).map { ($0, $1 - $0) }
    for (at, gap) in gaps {
      #expect(gap >= min(3600, at / 4) && gap <= min(3600, (at + gap) / 4) + 70)
    }
  }

  @Test func aStoreOfThisHostGetsARowAtLeastEachMinute() throws {
    let sent = try sendings(.store)
    #expect(zip(sent, sent.dropFirst()).allSatisfy { $1 - $0 <= 70 })
  }

  @Test func whatIsNewOnTheHostWaitsOnlyForASecond() throws {
    try fixture.count([LedgerFixture.trace(1)])
    try fixture.deliver()
    fixture.pass(5000)
    try fixture.count([LedgerFixture.trace(2)])
    try fixture.deliver()
    fixture.pass(0.5)
    try fixture.count([LedgerFixture.trace(3, new: [2])])
    #expect(try fixture.due().isEmpty)
    let wait = try #require(try fixture.ledger.secondsUntilDue(.upstream))
    #expect(abs(wait - 0.5) < 1e-6)
    fixture.pass(0.5)
    #expect(try fixture.deliver().first?.version.changes == 3)
    // Once it is there, the others wait their turn again.
    try fixture.count([LedgerFixture.trace(4)])
    fixture.pass(2)
    #expect(try fixture.due().isEmpty)
    #expect(try fixture.due(.atOnce).count == 1)
  }

  @Test func secondsUntilDueAreThoseAfterWhichItIs() throws {
    #expect(try fixture.ledger.secondsUntilDue(.upstream) == nil)
    try fixture.count([LedgerFixture.trace(1)])
    #expect(try fixture.ledger.secondsUntilDue(.upstream) == 0)
    try fixture.deliver()
    #expect(try fixture.ledger.secondsUntilDue(.upstream) == nil)
    fixture.pass(900)
    try fixture.count([LedgerFixture.trace(2)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(3)])
    // A quarter of its age then: of 1200 seconds.
    #expect(try fixture.ledger.secondsUntilDue(.upstream) == 300)
    fixture.pass(299.9)
    #expect(try fixture.due().isEmpty)
    fixture.pass(0.2)
    #expect(try fixture.due().count == 1)
  }

  @Test func aDaysLastVersionIsSentOnceTheDayIsOver() throws {
    fixture.now = LedgerFixture.day.start + 86000
    try fixture.count([LedgerFixture.trace(1)])
    try fixture.deliver()
    fixture.pass(10_000)
    // A day of which the row was sent while it was not over.
    fixture.now = LedgerFixture.day.start + 86300
    try fixture.count([LedgerFixture.trace(2)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(3)])
    #expect(try fixture.due().isEmpty)
    // Every ledger at a moment of its own, none later than an hour after.
    fixture.now = LedgerFixture.day.start + 86400 + 3600
    #expect(try fixture.deliver().map(\.version.changes) == [3])
    try fixture.count([LedgerFixture.trace(4)])
    #expect(try fixture.due().isEmpty)
  }

  @Test func onlyTheVersionThatWasSentIsAcknowledged() throws {
    try fixture.count([LedgerFixture.trace(1)])
    let sent = try fixture.due()
    try fixture.count([LedgerFixture.trace(2)])
    _ = try fixture.settle { $0.taken = sent }
    try fixture.reopen()
    let size = try fixture.ledger.waitingSize()
    #expect(size.rows == 1 && size.runs == 1 && size.bytes > 0)
    fixture.pass(2)
    #expect(try fixture.ledger.waitingSize().oldest == 2)
    #expect(try fixture.deliver().map(\.version.changes) == [2])
    #expect(try fixture.ledger.waitingSize() == WaitingSize())
  }

  @Test func aSendingWithoutAnswerIsMadeAgain() throws {
    try fixture.count([LedgerFixture.trace(1)])
    let sent = try fixture.due()
    try fixture.reopen()
    #expect(try fixture.due().map(\.bytes) == sent.map(\.bytes))
  }

  @Test func aRefusedRowGoesAndWhatTheReceiverLacksOfItIsLost() throws {
    try fixture.count([LedgerFixture.trace(1), LedgerFixture.trace(2, of: LedgerFixture.library)])
    try fixture.deliver()
    fixture.pass(2)
    try fixture.count((3...7).map { LedgerFixture.trace($0) })
    let rows = try fixture.due(.atOnce)
    let lost = try fixture.settle { outcome in
      outcome.refused = rows.map { ($0, "forgotten") }
      outcome.taken = []
    }
    #expect(
      lost == [
        LostSums(
          build: LedgerFixture.program, day: LedgerFixture.day, runs: 5, reason: "forgotten")
      ])
    #expect(try fixture.rows().map(\.key.build) == [LedgerFixture.library])
    // Late answers change nothing, and no other row gets the id.
    #expect(try fixture.settle { $0.refused = rows.map { ($0, "closed") } }.isEmpty)
    try fixture.count([LedgerFixture.trace(8)])
    #expect(try fixture.settle { $0.refused = rows.map { ($0, "closed") } }.isEmpty)
    #expect(try fixture.due().first?.state().totals.runs == 1)
  }

  @Test func anEarlyRowCountsWithoutADate() throws {
    let later = LedgerFixture.noon + 2 * 86400
    try fixture.count([LedgerFixture.trace(1, at: later)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(2, new: [1], at: later)])
    let rows = try fixture.due(.atOnce)
    #expect(try fixture.settle { $0.early = rows }.isEmpty)
    // What the receiver had before its clock was set back stays there.
    let sent = try fixture.deliver()
    #expect(sent.map(\.key.day) == [.undated] && sent.map(\.totals.runs) == [1])
    #expect(try fixture.rows().map(\.version.changes) == [1, 2])
  }

  /// The recordings are gone, so it counts on the first day that is open.
  @Test func whatComesTooLateForItsDayMoves() throws {
    let long = LedgerFixture.noon - 40 * 86400
    try fixture.count([LedgerFixture.trace(1, calls: [1], at: long)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(2, calls: [2], at: long)])
    let rows = try fixture.due(.atOnce)
    let open = FleetDay(number: LedgerFixture.day.number - 35)
    let lost = try fixture.settle { outcome in
      outcome.late = rows
      outcome.firstOpenDay = open
    }
    #expect(lost.isEmpty)
    let moved = try fixture.deliver()
    #expect(moved.map(\.key.day) == [open] && moved.map(\.totals.runs) == [1])
    #expect(moved[0].sums.called.map { Int($0.0) } == [2])
    #expect(try fixture.rows().count == 1)
  }

  @Test func ofARemovedRowOnlyWhatIsNewIsSentAgain() throws {
    try fixture.count([LedgerFixture.trace(1, calls: [1], at: 0)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(2, calls: [2], at: 0)])
    let rows = try fixture.due(.atOnce)
    #expect(rows.map(\.key.day) == [.undated])
    _ = try fixture.settle { $0.removed = rows }
    let new = try fixture.deliver()
    #expect(new.map(\.follows) == [.none] && new.map(\.totals.runs) == [1])
  }

  @Test func aParkedRowIsSentAgainOnceItChanges() throws {
    try fixture.count([LedgerFixture.trace(1), LedgerFixture.trace(2, of: LedgerFixture.library)])
    let row = try #require(try fixture.due().first { $0.key.build == LedgerFixture.program })
    try fixture.ledger.park(row, on: LedgerFixture.day)
    #expect(try fixture.deliver(.atOnce).map(\.key.build) == [LedgerFixture.library])
    #expect(try fixture.ledger.waitingSize().rows == 0)
    try fixture.count([LedgerFixture.trace(3)])
    #expect(try fixture.due(.atOnce).map(\.version.changes) == [2])
  }

  @Test func rowsOfClosedDaysAreForgottenOnceTheReceiverHasThem() throws {
    let yesterday = LedgerFixture.noon - 86400
    try fixture.count([
      LedgerFixture.trace(1, at: yesterday, ordered: true),
      LedgerFixture.trace(2, of: LedgerFixture.library, at: yesterday), LedgerFixture.trace(3),
    ])
    let samples = try fixture.samples()
    #expect(samples.count == 1)
    let rows = try fixture.due()
    _ = try fixture.settle { outcome in
      outcome.taken = rows.filter { $0.key.build == LedgerFixture.program }
      outcome.samples = samples
      outcome.firstOpenDay = LedgerFixture.day
    }
    // The library's of yesterday is still to be sent, and be refused.
    let left = try fixture.rows()
    #expect(
      Set(left.map { "\($0.key.build.buildID) \($0.key.day)" })
        == ["bb 2026-03-03", "aa 2026-03-04"])
    #expect(try fixture.ledger.sampledFamilies().count == 1)
    // With its build's last row the sample goes too.
    _ = try fixture.settle { $0.firstOpenDay = FleetDay(number: LedgerFixture.day.number + 1) }
    #expect(try fixture.ledger.sampledFamilies().isEmpty)
    #expect(try fixture.rows().count == 1)
  }

  @Test func rowsTravelInPartsThatFit() throws {
    let keys = (0..<20).map { BuildKey(buildID: BuildID("c\($0 + 10)")!) }
    try fixture.count(
      keys.enumerated().map { LedgerFixture.trace($0.offset, of: $0.element) })
    let all = try fixture.due()
    let size = all[0].bytes.count
    var found: [BuildKey] = []
    var last: Int64 = 0
    while true {
      let rows =
        try fixture.ledger.next(
          .upstream, now: fixture.now, after: last, upTo: size * 7 - 3)?.rows ?? []
      guard let end = rows.last?.id else { break }
      #expect(rows.count <= 7)
      found += rows.map(\.key.build)
      last = end
    }
    #expect(Set(found) == Set(keys) && found.count == keys.count)
    #expect(try fixture.ledger.next(.upstream, now: fixture.now, upTo: 1)?.rows.count == 1)
  }
}
