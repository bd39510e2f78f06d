import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import FleetModel
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

  /// The host's rows.
  private func rows() throws -> [SeriesState] {
    try ledger.next(.atOnce, now: 0, upTo: .max)?.rows.map { try $0.state() } ?? []
  }

  /// The only row.
  private func row() throws -> SeriesState {
    let rows = try rows()
    #expect(rows.count == 1)
    return try #require(rows.first)
  }

  /// The sampled traces, in the order in which they were made.
  private func samples() throws -> [FleetTrace] {
    let batch = try ledger.next(.atOnce, now: 0, after: .max, samples: true, upTo: .max)
    return try (batch?.samples ?? []).map { sample in
      try sample.bytes.withUnsafeBytes { try StateBatch.sample($0) }
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

    let trace = try #require(try samples().first)
    #expect(try samples().count == 1)
    #expect(trace.host == "host" && trace.forkedFrom == nil && trace.calls.count == 8)
    #expect(trace.losses.isEmpty)
    let row = try row()
    #expect(row.version.changes == 1)
    #expect(row.names.paths == ["/usr/bin/example"] && row.isExecutable && row.key.guardCount == 8)
    // The fixture's build id is the bytes 1 to 20.
    #expect(row.key.build.buildID.description == "0102030405060708090a0b0c0d0e0f1011121314")
    #expect(row.totals.runs == 1 && row.totals.hosts == 1 && row.totals.processes == 1)
    #expect(row.sums.map(\.runs) == Array(repeating: 1, count: 8))
    #expect(row.sums.map(\.hosts) == Array(repeating: 1, count: 8))
  }

  /// The others do not wait for it.
  @Test func aRecordingThatCrashesTheDaemonIsTriedAgainAfterAnHour() throws {
    try files.leave(RecordedFiles.process(1))
    try files.leave(RecordedFiles.process(2))
    let stem = RecordedFiles.process(1).description
    let path = spool.intakeJournalPath + ".crashed"
    for _ in 0..<2 { try WorkJournal(path: path, now: 1000).begin(stem) }
    let intake = try SpoolIntake(
      spool: spool, ledger: ledger, options: IntakeOptions(host: "host"),
      journal: WorkJournal(path: path, now: 1000))
    let report = try intake.pass(now: 1001)
    #expect(report.taken == 1 && report.left == 1 && report.quarantined.isEmpty)
    #expect(try intake.pass(now: 4599).taken == 0)
    #expect(try intake.pass(now: 4600).taken == 1)
  }

  @Test(arguments: [false, true])
  func theNextRunCountsWhatIsNewOnTheHostAlone(isRestarted: Bool) throws {
    var intake = try intake()
    for number in UInt32(1)...2 {
      try files.leave(RecordedFiles.process(number))
      #expect(try intake.pass(now: 1000).taken == 1)
      if isRestarted { intake = try self.intake() }
    }
    let row = try row()
    #expect(row.version.changes == 2 && row.totals.runs == 2 && row.totals.hosts == 1)
    #expect(row.sums.allSatisfy { $0.runs == 2 && $0.hosts == 1 })
  }

  /// A server that runs for weeks is in the lists meanwhile.
  @Test func aRunningProcessCountsWhatItHasCalledSoFar() throws {
    let child = try Command.start(["sleep", "1000"])
    defer { child.send(SIGKILL) }
    let pid = UInt32(child.process.processIdentifier)
    try files.leave(
      ProcessID(
        pid: pid, namespace: ProcessTable.ownNamespace,
        start: try #require(LiveProcess(pid)?.startTime), key: 1))
    let intake = try intake()
    let now = Date().timeIntervalSince1970
    #expect(try intake.pass(now: now).taken == 0)
    let running = try row()
    #expect(running.totals.runs == 1 && running.totals.processes == 0)
    #expect(running.sums.allSatisfy { $0.runs == 1 && $0.hosts == 1 })
    #expect(try samples().isEmpty)
    #expect(try intake.pass(now: now + 7200).left == 1)
    #expect(try row() == running)
    child.send(SIGKILL)
    _ = try child.wait()
    #expect(try intake.pass(now: now + 7201).taken == 1)
    let ended = try row()
    #expect(ended.totals.runs == 1 && ended.totals.processes == 1)
    #expect(ended.sums.allSatisfy { $0.runs == 1 && $0.hosts == 1 })
    #expect(try samples().count == 1)
  }

  /// The rows of the guards and of the counters.
  private func countedRows() throws -> (guards: SeriesState, counters: SeriesState) {
    let rows = try rows()
    #expect(rows.count == 2)
    return (
      try #require(rows.first { $0.key.build == RecordedFiles.build }),
      try #require(rows.first { $0.key.build == RecordedFiles.build.counters })
    )
  }

  @Test func countersOfARunningProcessAreReadEachHour() throws {
    let child = try Command.start(["sleep", "1000"])
    defer { child.send(SIGKILL) }
    let pid = UInt32(child.process.processIdentifier)
    let process = ProcessID(
      pid: pid, namespace: ProcessTable.ownNamespace,
      start: try #require(LiveProcess(pid)?.startTime), key: 1)
    try files.leave(process)
    try files.count([5, 0, 0], of: process)
    let intake = try intake()
    let now = Date().timeIntervalSince1970
    // The day on which the process began has the run, that of the reading its functions.
    func counted() throws -> (runs: Int, called: [Int], hosts: [Int]) {
      let rows = try rows().filter { $0.key.build.recorder == .counters }
      return (
        rows.reduce(0) { $0 + $1.totals.runs },
        (0..<3).map { place in rows.reduce(0) { $0 + $1.sums[place].runs } },
        (0..<3).map { place in rows.reduce(0) { $0 + $1.sums[place].hosts } }
      )
    }
    _ = try intake.pass(now: now)
    #expect(try counted() == (1, [1, 0, 0], [1, 0, 0]))
    try files.count([5, 0, 1], of: process)
    _ = try intake.pass(now: now + 3600.5)
    #expect(try counted() == (1, [1, 0, 1], [1, 0, 1]))
    try files.count([9, 1, 1], of: process)
    child.send(SIGKILL)
    _ = try child.wait()
    let report = try intake.pass(now: now + 3601)
    #expect(report.taken == 1 && report.problems.isEmpty)
    #expect(try counted() == (1, [1, 1, 1], [1, 1, 1]))
    #expect(directory.entries == [".firstlightd"])
  }

  /// Processes of a run add up, runs count.
  @Test func countersAreRowsOfTheirOwnBesideGuards() throws {
    for number in 1...3 as ClosedRange<UInt32> {
      try files.leave(RecordedFiles.process(number))
      try files.count([1, number == 2 ? 7 : 0, 0], of: RecordedFiles.process(number))
    }
    let child = RecordedFiles.process(4)
    try files.leave(child, forkedFrom: RecordedFiles.process(3))
    #expect(try intake().pass(now: 1000).taken == 4)
    let (guards, counters) = try countedRows()
    #expect(guards.totals.runs == 3 && guards.totals.processes == 4)
    #expect(counters.key.guardCount == 3 && counters.sums.map(\.runs) == [3, 1, 0])
    #expect(counters.sums.map(\.hosts) == [1, 1, 0])
    #expect(counters.totals.runs == 3 && counters.totals.hosts == 1)
    // They are of no program: that is the guards' row.
    #expect(counters.totals.programRuns == 0 && counters.totals.processes == 0)
    #expect(try samples().allSatisfy { $0.images.map(\.build) == [RecordedFiles.build] })
  }

  @Test func countersThatCannotBeReadAreALossOfTheirProcess() throws {
    let process = RecordedFiles.process(1)
    try files.leave(process)
    try Data(count: 100).write(to: directory.url.appending(path: "\(process)-0.counters"))
    let report = try intake().pass(now: 1000)
    #expect(
      report.quarantined.count == 1 && report.quarantined[0].contains("-0.counters: offset 0"))
    let row = try row()
    #expect(
      row.totals.unreadableSegments == 1 && row.sums.map(\.runs) == Array(repeating: 1, count: 8))
    #expect(directory.entries == [".firstlightd"])
  }

  @Test func aHostWithNewLabelsIsNoNewHost() throws {
    for (number, region) in [(1, "eu"), (2, "us")] as [(UInt32, String)] {
      try files.leave(RecordedFiles.process(number))
      let labels = try FleetLabels(["region": region])
      #expect(try intake { $0.labels = labels }.pass(now: 1000).taken == 1)
    }
    let rows = try rows().sorted { $0.key.labels.text < $1.key.labels.text }
    #expect(rows.map(\.totals.runs) == [1, 1] && rows.map(\.totals.hosts) == [1, 0])
    #expect(rows[1].sums.allSatisfy { $0.runs == 1 && $0.hosts == 0 })
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
    let found = try samples()
    #expect(found.map(\.forkedFrom) == [nil, parent.description])
    #expect(Set(found.map(\.run)).count == 1 && Set(found.map(\.family)).count == 1)
    let row = try row()
    #expect(row.totals.programRuns == 1 && row.totals.processes == 2)
    // Both called the same functions: the run called them once, as far as its tally was kept.
    if !apart { #expect(row.totals.runs == 1 && row.sums.allSatisfy { $0.runs == 1 }) }
  }

  @Test func filesThatWereCountedBeforeACrashAreOnlyRemoved() throws {
    let process = RecordedFiles.process(1)
    try files.leave(process)
    var step = IntakeStep()
    step.done = [process.description]
    try ledger.add(step)
    let intake = try intake()
    #expect(try intake.pass(now: 1000).taken == 0)
    #expect(directory.entries == [".firstlightd"])
    #expect(try rows().isEmpty)
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

  @Test func aRowIsWrittenOnceForAllProcessesOfAStep() throws {
    for number in UInt32(1)...5 { try files.leave(RecordedFiles.process(number)) }
    #expect(try intake { $0.stepTraces = 2 }.pass(now: 1000).taken == 5)
    #expect(try row().totals.runs == 5 && row().version.changes == 3)
    #expect(Set(try samples().map(\.process)).count == 5)
  }

  @Test func aStepHasRoomForOneProcessHoweverMuchItCalled() throws {
    for number in UInt32(1)...3 { try files.leave(RecordedFiles.process(number)) }
    #expect(try intake { $0.stepWeight = 1 }.pass(now: 1000).taken == 3)
    #expect(try row().version.changes == 3)
  }

  /// The host's sample outlives the daemon: what has no room in it is not read call by call.
  @Test func theSampleIsRememberedOverARestart() throws {
    var step = IntakeStep()
    // Families that are smaller than that of the recording, whose run is named after the host.
    let process = RecordedFiles.process(1)
    let run = TraceID(run: "host", process: "\(process)@\(process.namespace)").description
    let other = FamilyHash.of(run: run, root: process.description)
    let runs = (0...).lazy.map { "\($0)" }.filter { FamilyHash.of(run: $0, root: "1") < other }
      .prefix(100)
    step.samples = runs.map { run in
      FleetTrace(
        run: run, process: "1", root: "1", host: "host", startedAt: 1000, seconds: 1,
        images: [
          FleetImage(
            build: RecordedFiles.build, name: "/usr/bin/example", isExecutable: true,
            guardCount: 8)
        ], program: 0, calls: [])
    }
    try ledger.add(step)
    try files.leave(RecordedFiles.process(1))
    let intake = try intake()
    let families = step.samples.map(\.family).sorted()
    #expect(intake.sampleLimits[RecordedFiles.build] == families.last)
    #expect(try intake.pass(now: 1000).taken == 1)
    #expect(try samples().map(\.family).sorted() == families)
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
