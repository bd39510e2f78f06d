import FirstlightModel
import FleetModel
import Foundation
import IntakeLedger
import SystemSupport
import TestSupport
import Testing

@testable import SpoolIntake

/// What a pass makes of the recordings of finished processes.
@Suite struct SpoolIntakeTests {
  private let directory: TemporaryDirectory
  private let files: RecordedFiles
  private let spool: Spool
  private let ledger: IntakeLedger
  private let journal: WorkJournal

  init() throws {
    directory = try TemporaryDirectory()
    files = RecordedFiles(directory: directory)
    spool = try Spool(path: directory.url.path)
    ledger = try IntakeLedger(path: spool.ledgerPath)
    journal = try WorkJournal(path: spool.intakeJournalPath)
  }

  /// An intake as a daemon begins it.
  private func intake(
    _ change: (inout IntakeOptions) -> Void = { _ in }
  ) throws -> SpoolIntake {
    var options = IntakeOptions(host: "host")
    change(&options)
    return try SpoolIntake(spool: spool, ledger: ledger, options: options, journal: journal)
  }

  /// All traces that wait, in the order in which they were made.
  private func traces() throws -> [FleetTrace] {
    try ledger.waiting(limit: 100).flatMap { batch in
      try batch.bytes.withUnsafeBytes { try FleetBatch.decode($0) }
    }
  }

  @Test func aFinishedProcessIsCountedOnceAndItsFilesGo() throws {
    try files.leave(RecordedFiles.process(1))
    let intake = try intake()
    let report = try intake.pass(now: 1000)
    #expect(report.taken == 1 && report.left == 0)
    #expect(report.quarantined.isEmpty && report.problems.isEmpty && report.dropped.isEmpty)
    #expect(directory.entries == [".firstlightd"])
    #expect(try intake.pass(now: 1001).taken == 0)

    let trace = try #require(try traces().first)
    #expect(try ledger.outboxSize().traces == 1)
    #expect(trace.host == "host" && trace.countsRun && trace.forkedFrom == nil)
    #expect(trace.losses.isEmpty)
    let image = try #require(trace.images.first)
    #expect(trace.images.count == 1)
    #expect(image.name == "/usr/bin/example" && image.isExecutable && image.guardCount == 8)
    // The fixture's build id is the bytes 1 to 20.
    #expect(image.build.buildID.description == "0102030405060708090a0b0c0d0e0f1011121314")
    #expect(image.countsRun && image.countsHost)
    #expect(image.seen.flatMap { Array($0.guards) } == Array(0..<8))
    #expect(image.newOnHost.map(\.guardIndex) == Array(0..<8))
  }

  @Test(arguments: [false, true])
  func theNextRunCountsWhatIsNewOnTheHostAlone(isRestarted: Bool) throws {
    var intake = try intake()
    for number in UInt32(1)...2 {
      try files.leave(RecordedFiles.process(number))
      #expect(try intake.pass(now: 1000).taken == 1)
      if isRestarted { intake = try self.intake() }
    }
    let images = try traces().flatMap(\.images)
    #expect(images.map(\.countsRun) == [true, true])
    #expect(images.map(\.countsHost) == [true, false])
    #expect(images.map(\.newOnHost.count) == [8, 0])
    #expect(images.map { $0.seen.reduce(0) { $0 + $1.guards.count } } == [8, 8])
  }

  @Test(arguments: [false, true])
  func aForkedProcessAddsToTheRunOfItsParent(apart: Bool) throws {
    let (parent, child) = (RecordedFiles.process(1), RecordedFiles.process(2))
    let intake = try intake()
    try files.leave(parent)
    if !apart { try files.leave(child, forkedFrom: parent) }
    _ = try intake.pass(now: 1000)
    if apart {
      try files.leave(child, forkedFrom: parent)
      _ = try intake.pass(now: 1001)
    }
    let found = try traces()
    #expect(found.map(\.forkedFrom) == [nil, parent.description])
    #expect(Set(found.map(\.run)).count == 1 && Set(found.map(\.family)).count == 1)
    #expect(found.map(\.countsRun) == [true, false])
    if !apart {
      // Both called the same functions: the run called them once.
      #expect(found.map { $0.images[0].countsRun } == [true, false])
      #expect(found[1].images[0].seen.isEmpty)
    }
  }

  @Test func filesThatWereCountedBeforeACrashAreOnlyRemoved() throws {
    let process = RecordedFiles.process(1)
    try files.leave(process)
    var step = IntakeStep(madeAt: 1000)
    step.done = [process.description]
    try ledger.add(step, labels: FleetLabels())
    let intake = try intake()
    #expect(try intake.pass(now: 1000).taken == 0)
    #expect(directory.entries == [".firstlightd"])
    #expect(try ledger.outboxSize() == OutboxSize())
  }

  @Test func unreadableRecordingsAreSetAsideAndTheOthersCounted() throws {
    let (sound, bad) = (RecordedFiles.process(1), RecordedFiles.process(2))
    try files.leave(sound)
    try files.leave(bad)
    try directory.write("cut off", to: "\(bad)-0.segment")
    let report = try intake().pass(now: 1000)
    #expect(report.taken == 1)
    #expect(report.quarantined.count == 1)
    #expect(report.quarantined.first?.hasPrefix("\(bad): ") == true)
    #expect(directory.entries == [".firstlightd"])
    #expect(
      try DirectoryListing.names(in: spool.quarantinePath).sorted()
        == ["\(bad)-0.segment", "\(bad).process", "\(bad).reason"])
  }

  @Test func pathsStayOnTheHost() throws {
    try files.leave(RecordedFiles.process(1))
    _ = try intake {
      $0.destination = .upstream { (bytes: [UInt8]) throws(Failure) in bytes }
    }.pass(now: 1000)
    #expect(try traces().first?.images.map(\.name) == ["example"])
  }

  @Test func aBatchHasNoMoreTracesThanItMay() throws {
    for number in UInt32(1)...5 { try files.leave(RecordedFiles.process(number)) }
    #expect(try intake { $0.batchTraces = 2 }.pass(now: 1000).taken == 5)
    #expect(try ledger.waiting(limit: 100).map(\.traces) == [2, 2, 1])
    #expect(Set(try traces().map(\.process)).count == 5)
  }

  /// A recording of one page and its reason are two pages.
  @Test func theQuarantineStaysWithinItsLimitFromPassToPass() throws {
    let limit = 10 * 4096
    let intake = try intake { $0.quarantineBytes = limit }
    _ = try intake.pass(now: 1000)
    for number in UInt32(1)...9 {
      try directory.write(
        String(repeating: "x", count: 4096), to: "\(RecordedFiles.process(number)).process")
    }
    #expect(try intake.pass(now: 1001).quarantined.count == 9)
    let used = try DirectoryListing.names(in: spool.quarantinePath).reduce(0) { sum, name in
      var status = stat()
      lstat("\(spool.quarantinePath)/\(name)", &status)
      return sum + Int(status.st_blocks) * 512
    }
    #expect(used > 0 && used <= limit)
  }
}
