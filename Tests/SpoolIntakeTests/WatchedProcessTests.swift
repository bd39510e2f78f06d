import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import FleetModel
@testable import SpoolIntake

/// What a pass makes of processes that another one watches from outside.
@Suite struct WatchedProcessTests {
  private let directory: TemporaryDirectory
  private let files: WatchedFiles
  private let spool: Spool
  private let ledger: IntakeLedger
  private let journal: WorkJournal
  private static let now = FleetDay("2026-03-22")!.start + 43200

  init() throws {
    directory = try TemporaryDirectory()
    files = WatchedFiles(directory: directory)
    spool = try Spool(path: directory.url.path)
    ledger = try IntakeLedger(path: spool.ledgerPath)
    journal = try WorkJournal(path: spool.intakeJournalPath)
  }

  private func intake() throws -> SpoolIntake {
    try SpoolIntake(
      spool: spool, ledger: ledger, options: IntakeOptions(host: "host"), journal: journal)
  }

  /// By day, and by build.
  private func rows() throws -> [SeriesState] {
    let rows = try ledger.next(.atOnce, now: 0, upTo: .max)?.rows.map { try $0.state() } ?? []
    return rows.sorted { ($0.key.day, $0.key.build) < ($1.key.day, $1.key.build) }
  }

  private func row() throws -> SeriesState {
    let rows = try rows()
    #expect(rows.count == 1)
    return try #require(rows.first)
  }

  private func samples() throws -> Int {
    try ledger.next(.atOnce, now: 0, after: .max, samples: true, upTo: .max)?.samples.count ?? 0
  }

  private static func process(
    _ number: UInt32, _ change: (inout WatchedFiles.Process) -> Void = { _ in }
  ) -> WatchedFiles.Process {
    var process = WatchedFiles.Process(id: RecordedFiles.process(number), startedAt: now - 60)
    change(&process)
    return process
  }

  private static func image(
    _ calls: [UInt32] = [], _ change: (inout WatchedFiles.Image) -> Void = { _ in }
  ) -> WatchedFiles.Image {
    var image = WatchedFiles.Image()
    image.calls = calls.map { ($0, 1) }
    change(&image)
    return image
  }

  /// The watcher reads what a process has called only later, so the end of that process says nothing.
  @Test func aProcessIsCountedWhenItsWatchHasEnded() throws {
    let intake = try intake()
    try files.leave(Self.process(1) { $0.ended = nil }, [Self.image([1])])
    let report = try intake.pass(now: Self.now)
    #expect(report.taken == 0 && report.left == 1)
    #expect(try rows().isEmpty)
    try files.leave(Self.process(1), [Self.image([1, 2])])
    #expect(try intake.pass(now: Self.now).taken == 1)
    let row = try row()
    #expect(row.totals.runs == 1 && row.totals.hosts == 1 && row.totals.windows == 0)
    #expect(row.totals.processes == 1 && row.totals.seconds == 60 && row.totals.lossCount == 0)
    #expect(row.sums.called.map(\.0) == [1, 2] && row.sums.allSatisfy { $0.hosts == $0.runs })
    #expect(row.unseen.isEmpty && row.callers.isEmpty)
    #expect(row.key.build.recorder == .breakpoints && row.key.guardCount == 100)
    #expect(try samples() == 1)
    #expect(directory.entries == [".firstlightd"])
  }

  @Test func aWatcherThatWasKilledIsALoss() throws {
    try files.leave(
      Self.process(1) {
        ($0.ended, $0.watcher, $0.unrecorded) = (nil, WatchedFiles.deadProcess, 2)
      }, [Self.image([1])])
    #expect(try intake().pass(now: Self.now).taken == 1)
    let totals = try row().totals
    #expect(totals.runs == 1 && totals.runningProcesses == 1 && totals.unrecordedProcesses == 2)
    #expect(totals.losses.runningProcesses == 1 && totals.lossCount == 3)
  }

  @Test func aProcessWithoutACallCounts() throws {
    let child = Self.process(2) { $0.forkedFrom = RecordedFiles.process(1) }
    try files.leave(Self.process(1), [Self.image([1])])
    try files.leave(child, [Self.image()])
    try files.leave(Self.process(3), [Self.image()])
    #expect(try intake().pass(now: Self.now).taken == 3)
    let totals = try row().totals
    #expect(totals.processes == 3 && totals.runs == 2 && totals.windows == 0)
  }

  /// A window: whatever was not called may have run before.
  @Test func aProcessWhoseBeginningWasNotSeenIsAWindow() throws {
    let gaps = [10..<20 as Range<UInt32>]
    try files.leave(Self.process(1) { $0.isLate = true }, [Self.image([1]) { $0.gaps = gaps }])
    _ = try intake().pass(now: Self.now)
    let row = try row()
    #expect(row.totals.runs == 1 && row.totals.windows == 1 && row.totals.windowSeconds == 60)
    #expect(row.totals.hosts == 1 && row.sums[1].hosts == 1)
    #expect((0..<100).allSatisfy(row.unseen.contains))
    #expect((100..<200).filter(row.unseen.contains) == Array(110..<120))
    // It serves no order of a start-up.
    #expect(try samples() == 0)
  }

  /// An image that was planted while the process ran is no start of it.
  @Test(arguments: [0, 0.5, .infinity])
  func anImageThatWasWatchedLaterHasNoStart(since: Double) throws {
    let image = Self.image([1]) {
      ($0.since, $0.isNeverComplete) = (since.isFinite ? since : 0, !since.isFinite)
    }
    try files.leave(Self.process(1), [image])
    _ = try intake().pass(now: Self.now)
    let row = try row()
    #expect(row.totals.windows == (since == 0 ? 0 : 1))
    #expect((0..<100).count(where: row.unseen.contains) == (since == 0 ? 0 : 100))
    #expect((100..<200).count(where: row.unseen.contains) == (since.isFinite ? 0 : 100))
  }

  /// One start is enough, if its watcher says that it is like those that were missed; functions that it could not see stay
  /// unknown.
  @Test(arguments: [false, true]) func aStartMakesUpForWindows(standsAlone: Bool) throws {
    try files.leave(Self.process(1) { $0.isLate = true }, [Self.image([1])])
    try files.leave(
      Self.process(2) { $0.standsAlone = standsAlone }, [Self.image([2]) { $0.gaps = [5..<8] }])
    _ = try intake().pass(now: Self.now)
    let row = try row()
    #expect(row.totals.runs == 2 && row.totals.windows == 1)
    #expect((0..<200).filter(row.unseen.contains) == (standsAlone ? Array(0..<100) : [5, 6, 7]))
  }

  /// Its parent may have begun before, and called functions that it does not repeat.
  @Test func aForkedProcessShowsNoStart() throws {
    try files.leave(
      Self.process(2) { ($0.forkedFrom, $0.isLate) = (RecordedFiles.process(1), true) },
      [Self.image([2])])
    try files.leave(Self.process(3) { $0.forkedFrom = RecordedFiles.process(4) }, [Self.image([3])])
    _ = try intake().pass(now: Self.now)
    let row = try row()
    #expect((0..<100).allSatisfy(row.unseen.contains))
  }

  /// A watch of three weeks: each call counts on its day, the run once, however often it is read.
  @Test(arguments: [false, true])
  func aLongWatchCountsByTheHour(isRestarted: Bool) throws {
    var intake = try intake()
    let begin = Self.now - 21 * 86400
    func leave(days: Int, ended: Bool = false) throws {
      let process = Self.process(1) {
        ($0.isLate, $0.startedAt, $0.ended) = (true, begin, ended ? 21.5 * 86400 : nil)
      }
      var image = Self.image()
      image.calls = (0...days).map { (UInt32($0), Double($0) * 86400 + 1) }
      try files.leave(process, [image])
    }
    for day in 1...21 {
      try leave(days: day)
      if isRestarted { intake = try self.intake() }
      let report = try intake.pass(now: begin + Double(day) * 86400 + 3700)
      #expect(report.taken == 0 && report.updated == 1)
    }
    #expect(try rows().map(\.totals.runs) == [1] + Array(repeating: 0, count: 21))
    #expect(try rows().reduce(0) { $0 + $1.totals.processes } == 0)
    try leave(days: 21, ended: true)
    #expect(try intake.pass(now: Self.now + 43200).taken == 1)
    let rows = try rows()
    #expect(rows.map(\.totals.runs) == [1] + Array(repeating: 0, count: 21))
    #expect(rows.map { Array($0.sums.called.map(\.0)) } == (0...21).map { [UInt32($0)] })
    #expect(rows.reduce(0) { $0 + $1.totals.processes } == 1)
    #expect(rows.reduce(0) { $0 + $1.totals.windows } == 1)
    #expect(rows.reduce(0) { $0 + $1.totals.hosts } == 1)
    #expect(rows[0].totals.windowSeconds == Int(21.5 * 86400))
    for row in rows { #expect((0..<100).allSatisfy(row.unseen.contains)) }
  }

  /// A function that lost its probe after the process's first count may have been called unseen, whatever the row says of
  /// earlier hours. A later run that watched it makes up for that.
  @Test(arguments: [false, true]) func aGapAfterTheFirstCountStays(isRestarted: Bool) throws {
    var intake = try intake()
    let begin = Self.now - 7200
    func leave(_ gaps: [Range<UInt32>], calls: [UInt32], ended: Double?) throws {
      try files.leave(
        Self.process(1) { ($0.startedAt, $0.ended) = (begin, ended) },
        [Self.image(calls) { $0.gaps = gaps }])
    }
    try files.leave(Self.process(2), [Self.image([2]) { $0.gaps = [40..<45] }])
    try leave([30..<35], calls: [1], ended: nil)
    var report = try intake.pass(now: Self.now - 3000)
    #expect(report.taken == 1 && report.updated == 1)
    #expect(try row().unseen.isEmpty)
    if isRestarted { intake = try self.intake() }
    try leave([30..<35, 50..<52], calls: [1, 3], ended: nil)
    report = try intake.pass(now: Self.now + 700)
    #expect(report.updated == 1)
    func found(_ indices: Range<UInt32>) throws -> [UInt32] {
      let unseen = try row().unseen
      return indices.filter(unseen.contains)
    }
    let gaps: [UInt32] = [30, 31, 32, 33, 34, 50, 51]
    #expect(try found(0..<100) == gaps && found(100..<200) == gaps.map { $0 + 100 })
    try leave([30..<35, 50..<52, 60..<61], calls: [1, 3], ended: 7200)
    #expect(try intake.pass(now: Self.now + 800).taken == 1)
    #expect(try found(0..<100) == gaps + [60])
    try files.leave(Self.process(3), [Self.image([2]) { $0.gaps = [60..<61] }])
    #expect(try intake.pass(now: Self.now + 900).taken == 1)
    #expect(try found(0..<200) == [60, 160])
  }

  /// What a day shows of a process that began before it is no start.
  @Test func theDaysAfterAStartProveNothing() throws {
    var image = Self.image()
    image.calls = [(1, 1), (2, 86400 + 1)]
    try files.leave(
      Self.process(1) { ($0.startedAt, $0.ended) = (Self.now - 2 * 86400, 2 * 86400) }, [image])
    _ = try intake().pass(now: Self.now)
    let rows = try rows()
    #expect(rows.map { (0..<100).count(where: $0.unseen.contains) } == [0, 100])
    #expect(rows[0].unseen.intersection(rows[1].unseen).isEmpty)
  }

  /// A shell that started the program.
  @Test func aProgramWithoutSymbolsGivesWayToOthers() throws {
    let shell = Self.image([1]) { ($0.isSpare, $0.path, $0.buildID) = (true, "/bin/sh", [9]) }
    try files.leave(Self.process(1), [shell, Self.image([2])])
    _ = try intake().pass(now: Self.now)
    #expect(try row().names.paths == ["/usr/bin/watched"])
    #expect(try row().sums.called.map(\.0) == [2])
  }

  /// 88,000 functions of which every other one has a gap: the row of a thousand windows has one range of the first half.
  @Test func aRowStaysSmall() throws {
    for number in UInt32(1)...20 {
      try files.leave(
        Self.process(number) { $0.isLate = true },
        [Self.image([number]) { ($0.capacity, $0.isNeverComplete) = (88_000, number % 2 == 0) }])
    }
    _ = try intake().pass(now: Self.now)
    #expect(try row().totals.windows == 20 && row().encoded().count < 300)
  }

  @Test func gapsBeyondTheLimitClaimLess() throws {
    let gaps = (0..<UInt32(1 << 18)).map { $0 * 3..<$0 * 3 + 1 }
    try files.leave(
      Self.process(1), [Self.image([1]) { ($0.capacity, $0.gaps) = (1 << 20, gaps) }])
    _ = try intake().pass(now: Self.now)
    let unseen = try row().unseen
    #expect(gaps.allSatisfy { unseen.contains($0.lowerBound) })
    #expect(unseen.ranges.ranges.count == 2 && !unseen.contains(1 << 20 - 1))
  }
}
