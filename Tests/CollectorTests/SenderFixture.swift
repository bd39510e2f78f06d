import FirstlightModel
import Logging
import SpoolIntake
import Synchronization
import TestSupport

@testable import Collector
@testable import FleetModel

/// A host that counts and sends, with a clock that stands still until it is moved.
final class SenderFixture {
  let directory: TemporaryDirectory
  let receiver: FakeReceiver
  let monitor = DaemonMonitor()
  private(set) var ledger: IntakeLedger
  private let time = Time()
  private var number = 0

  private final class Time: Sendable {
    /// Seconds since 1970: the noon of a day.
    let seconds = Mutex(FleetDay("2026-03-04")!.start + 43200)
  }

  static let builds = (10..<30).map { BuildKey(buildID: BuildID("c\($0)")!) }

  init(_ receiver: FakeReceiver = FakeReceiver()) throws {
    self.receiver = receiver
    directory = try TemporaryDirectory()
    let time = time
    ledger = try IntakeLedger(
      path: directory.path("ledger.sqlite"), clock: { time.seconds.withLock { $0 } })
  }

  var now: Double { time.seconds.withLock { $0 } }

  func pass(_ seconds: Double) { time.seconds.withLock { $0 += seconds } }

  func reopen() throws { try open(ledger.path) }

  /// Goes on with the ledger of a file.
  func open(_ path: String) throws {
    let time = time
    ledger = try IntakeLedger(path: path, clock: { time.seconds.withLock { $0 } })
  }

  /// Goes on with another ledger.
  func use(_ ledger: IntakeLedger) { self.ledger = ledger }

  /// The secret of the rows that the receiver has; there are those of one ledger only.
  var secret: LedgerSecret { receiver.with { $0.rows.keys.first ?? LedgerSecret() } }

  var sender: LedgerSender {
    let time = time
    return LedgerSender(
      ledger: ledger, sink: receiver, monitor: monitor, logger: Logger(label: "test"),
      clock: { time.seconds.withLock { $0 } })
  }

  /// Counts one run each of some builds.
  func count(
    _ builds: some Sequence<BuildKey> = builds[0..<1], daysAgo: Double = 0, ordered: Bool = false
  ) throws {
    var step = IntakeStep()
    for build in builds {
      number += 1
      let startedAt = now - daysAgo * 86400
      let day = FleetDay(of: startedAt)
      let series = SeriesKey(build: build, day: day, labels: FleetLabels())
      var state = SeriesState(
        key: StateKey(series: series, guardCount: 10), name: "", isExecutable: true)
      state.names = ImageNames("/opt/app/bin/app", runs: 1)
      (state.totals.runs, state.totals.programRuns, state.totals.processes) = (1, 1, 1)
      let sum = GuardSum(runs: 1, firstSeen: startedAt, lastSeen: startedAt)
      state.sums = GuardSums(guardCount: 10, [1: sum, 2: sum])
      step.states.append(state)
      if !ordered { continue }
      step.samples.append(
        FleetTrace(
          run: "\(number)", process: "", root: "", host: "host", startedAt: startedAt, seconds: 1,
          images: [
            FleetImage(
              build: build, name: "/opt/app/bin/app", isExecutable: true, guardCount: 10)
          ], program: 0, calls: [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 0)]))
    }
    try ledger.add(step)
  }
}
