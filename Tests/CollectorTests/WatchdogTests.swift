import FleetModel
import SystemSupport
import TestSupport
import Testing

@testable import Collector
@testable import SpoolIntake

/// What a daemon says of itself while its intake hangs, as on a disk that does not answer.
@Suite struct WatchdogTests {
  @Test func aPassWithoutProgressIsSeen() throws {
    let progress = PassProgress()
    #expect(progress.silence == 0)
    progress.step()
    // The clock moves on.
    while progress.silence == 0 {}
    progress.end()
    #expect(progress.silence == 0)
  }

  /// Between passes nothing is to be done, however long nothing happens.
  @Test func aPassEndsItsProgress() throws {
    let directory = try TemporaryDirectory()
    let spool = try Spool(path: directory.url.path)
    let intake = try SpoolIntake(
      spool: spool, ledger: try IntakeLedger(path: spool.ledgerPath),
      options: IntakeOptions(host: "host"),
      journal: try WorkJournal(path: spool.intakeJournalPath))
    let progress = PassProgress()
    _ = try intake.pass(now: 1000, progress)
    #expect(progress.silence == 0)
  }

  @Test(arguments: [(0.0, true), (9.9, true), (10.1, false), (5000, false)])
  func theWatchdogIsFedWhileTheIntakeWorks(silence: Double, isAlive: Bool) {
    #expect(SystemdService.isAlive(silence: silence, interval: 20) == isAlive)
  }

  @Test(arguments: [(0.0, nil), (61, "the spool has not answered for 1 min 1 s")])
  func aDaemonWhoseIntakeHangsIsNotReady(silence: Double, obstacle: String?) async throws {
    let monitor = DaemonMonitor()
    monitor.watch { silence }
    let status = StatusReport(
      configuration: DaemonConfiguration(), store: nil, ledger: nil, admission: .certificates,
      watcher: nil, monitor: monitor)
    #expect(await status.obstacle() == obstacle)
  }
}
