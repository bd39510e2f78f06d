import FirstlightModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import FleetModel
@testable import SpoolIntake

/// A receiver that does not answer for a month.
@Suite struct OutageTests {
  private static let days = 30
  private static let functions = 45_000
  private static let called = 8100
  private static let runsPerStep = 1000
  private static let stepsPerDay = 2

  /// Runs of a build, each of which calls three fifths of the functions that any run calls, and some of the
  /// others.
  private static func step() -> IntakeStep {
    var random = SplitMix64(state: 1)
    let all = (0..<UInt32(functions)).shuffled(using: &random).prefix(called)
    let always = Array(all.prefix(called * 6 / 10))
    let sets = (0..<20).map { _ in
      GuardSet(
        always
          + all.dropFirst(always.count).filter { _ in Bool.random(using: &random) })
    }
    var step = IntakeStep()
    var tally = StateTally(labels: FleetLabels())
    var host = CoverageTally()
    host.builds[LedgerFixture.program] = GuardSet(all)
    for run in 0..<runsPerStep {
      let set = sets[run % sets.count]
      let calls = set.enumerated().map { place, index in
        RecordedCall(build: 0, guardIndex: index, thread: 1, time: UInt64(place) * 9000)
      }
      let process = ObservedProcess(
        run: "run \(run)", process: "1", forkedFrom: nil, root: "1", host: "host",
        startedAt: LedgerFixture.noon, seconds: 1, readyAfter: nil, losses: Losses(),
        images: [
          .init(
            build: LedgerFixture.program, name: "/usr/bin/app", isExecutable: true,
            guardCount: functions, called: set)
        ], callCount: set.count, callTimes: LedgerFixture.noon...LedgerFixture.noon,
        calls: run < 120 ? calls : nil, callers: [])
      var counted = CoverageTally()
      tally.count(process, run: &counted, host: &host)
      if let sample = FleetTrace(process, labels: FleetLabels(), seconds: 1) {
        step.samples.append(sample)
      }
    }
    step.states = tally.states()
    return step
  }

  @Test func nothingIsDroppedAndTheLedgerStaysSmall() throws {
    let fixture = try LedgerFixture()
    let step = Self.step()
    try fixture.ledger.add(step)
    // The same runs again and again: their sums are made once.
    var addition = step.states[0]
    for day in 0..<Self.days {
      addition.key.series.day = FleetDay(number: LedgerFixture.day.number + Int32(day))
      for _ in 0..<Self.stepsPerDay {
        fixture.pass(86400 / Double(Self.stepsPerDay))
        let uptime = fixture.ledger.uptime()
        let lost = try fixture.ledger.write {
          try StateRows(fixture.ledger, $0, uptime: uptime).add(addition)
        }
        #expect(lost == nil)
      }
    }
    let runs = Self.runsPerStep * (1 + Self.days * Self.stepsPerDay)
    fixture.now = LedgerFixture.day.start + Double(Self.days) * 86400
    let size = try fixture.ledger.waitingSize()
    #expect(size.rows == Self.days && size.runs == runs)
    let files = ["", "-wal", "-shm"].reduce(0) { sum, suffix in
      let file = try? FileManager.default.attributesOfItem(atPath: fixture.ledger.path + suffix)
      return sum + (file?[.size] as? Int ?? 0)
    }
    #expect(files < 50 << 20)
    // When it answers again it gets all of it, each day once.
    let states = try fixture.deliver()
    #expect(states.count == Self.days)
    #expect(states.reduce(0) { $0 + $1.totals.runs } == runs)
    #expect(states.allSatisfy { $0.sums.calledCount > Self.called * 9 / 10 })
    #expect(try fixture.ledger.sampledFamilies().values.map(\.count) == [TraceSampleRule.size])
    #expect(try fixture.ledger.waitingSize() == WaitingSize())
  }
}
