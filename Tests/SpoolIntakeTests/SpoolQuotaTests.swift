import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import SpoolIntake

/// What users leave in a spool beside recordings.
@Suite struct SpoolQuotaTests {
  private let directory: TemporaryDirectory
  private let files: RecordedFiles

  init() throws {
    directory = try TemporaryDirectory()
    files = RecordedFiles(directory: directory)
  }

  private var left: [String] { directory.entries.filter { $0 != ".firstlightd" }.sorted() }
  private var aside: [String] {
    (try? FileManager.default.contentsOfDirectory(
      atPath: directory.path(".firstlightd/quarantine")))?.sorted() ?? []
  }

  private func pass(
    mode: UInt32 = 0o1733, _ change: (inout IntakeOptions) -> Void = { _ in }
  ) throws -> IntakeReport {
    #expect(chmod(directory.url.path, mode) == 0)
    var options = IntakeOptions(host: "host")
    change(&options)
    let spool = try Spool(path: directory.url.path)
    return try SpoolIntake(
      spool: spool, ledger: try IntakeLedger(path: spool.ledgerPath), options: options,
      journal: try WorkJournal(path: spool.intakeJournalPath)
    ).pass(now: Date().timeIntervalSince1970)
  }

  /// Writes files, the first one the oldest.
  private func write(_ names: [String], bytes: Int = 10) throws {
    for (number, name) in names.enumerated() {
      try directory.write(String(repeating: "x", count: bytes), to: name)
      // The time of the last change is the kernel's, so it has to move on.
      var (status, previous) = (stat(), stat())
      guard number > 0 else { continue }
      stat(directory.path(names[number - 1]), &previous)
      repeat {
        chmod(directory.path(name), 0o600)
        stat(directory.path(name), &status)
      } while status.st_ctim.tv_sec == previous.st_ctim.tv_sec
        && status.st_ctim.tv_nsec == previous.st_ctim.tv_nsec
    }
  }

  private static let others = [
    "anything", "1.window", ".4200001-9-0000000000000001-1-4200001", "z",
  ]

  @Test func otherFilesCountInTheQuotas() throws {
    try write(Self.others)
    let report = try pass { $0.userFiles = 2 }
    #expect(left == Self.others.suffix(2).sorted())
    #expect(report.dropped.map(\.others) == [2] && report.dropped.map(\.processes) == [0])
    #expect(
      report.dropped.map(\.description)
        == ["1.window, no recording, of user \(geteuid()), and 1 before it"])
  }

  /// Names that are no UTF-8, of files and of a directory. Oracle: what find(1) lists.
  @Test func namesOfAnyBytesCountInTheQuotas() throws {
    try Command.check(
      [
        "sh", "-c",
        "for name in 377 376 375; do echo x >\"$(printf \"a\\\\$name\")\"; done",
      ], in: directory.url)
    let report = try pass { $0.userFiles = 1 }
    #expect(report.dropped.map(\.others) == [2])
    let left = try Command.check(
      ["find", ".", "-maxdepth", "1", "-type", "f"], in: directory.url
    ).utf8.count { $0 == UInt8(ascii: "\n") }
    #expect(left == 1)
  }

  @Test func otherFilesTakeSpaceFromTheTotal() throws {
    try write(["a", "b", "c"], bytes: 100_000)
    #expect(try pass { $0.totalBytes = 250_000 }.dropped.map(\.others) == [1])
    #expect(left == ["b", "c"])
  }

  /// Recordings of a user are worth more than what is none.
  @Test func otherFilesGoBeforeRecordings() throws {
    try write(["a", "b"])
    // Pid 1 runs, so the recording is not counted now.
    var process = RecordedFiles.process(1)
    process.pid = 1
    process.start = try #require(LiveProcess(1)?.startTime)
    try files.leave(process)
    _ = try pass { $0.userFiles = 3 }
    #expect(left == ["b", "\(process)-0.segment", "\(process).process"].sorted())
    _ = try pass { $0.userFiles = 1 }
    #expect(left.isEmpty)
  }

  /// A folder that others may list, such as /tmp, or of one user, has files of other kinds.
  @Test(arguments: [0o1777, 0o700] as [UInt32])
  func filesInAFolderThatIsNotForRecordingsAloneStay(mode: UInt32) throws {
    try write(Self.others)
    try FileManager.default.createDirectory(
      atPath: directory.path("folder"), withIntermediateDirectories: false)
    #expect(try pass(mode: mode) { $0.userFiles = 1 }.dropped.isEmpty)
    #expect(left == (Self.others + ["folder"]).sorted())
  }

  /// A directory of any depth, with a link that leads out of it.
  private func makeTree(_ name: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: directory.path("\(name)/a/b/c"), withIntermediateDirectories: true)
    for place in ["1", "a/2", "a/b/c/3"] {
      try directory.write("x", to: "\(name)/\(place)")
    }
    try manager.createSymbolicLink(
      atPath: directory.path("\(name)/a/out"), withDestinationPath: directory.path("kept"))
  }

  @Test func aDirectoryWithTheNameOfARecordingIsNotKept() throws {
    try directory.write("kept", to: "kept/file")
    let stem = "\(RecordedFiles.process(1))"
    try makeTree("\(stem).process")
    let report = try pass(mode: 0o700)
    #expect(report.quarantined.count == 1)
    #expect(aside == ["\(stem).reason"] && left == ["kept"])
    #expect(FileManager.default.fileExists(atPath: directory.path("kept/file")))
  }

  @Test func linksAndPipesAreNotKeptEither() throws {
    try directory.write("kept", to: "kept/file")
    let stems = (UInt32(1)...2).map { "\(RecordedFiles.process($0))" }
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("\(stems[0]).process"), withDestinationPath: directory.path("kept"))
    #expect(mkfifo(directory.path("\(stems[1]).process"), 0o600) == 0)
    #expect(try pass(mode: 0o700).quarantined.count == 2)
    #expect(aside == stems.map { "\($0).reason" }.sorted() && left == ["kept"])
    #expect(FileManager.default.fileExists(atPath: directory.path("kept/file")))
  }

  /// What is in a directory counts in no quota.
  @Test(.tags(.root), .enabled(if: geteuid() == 0, "needs root"))
  func directoriesOfUsersAreRemoved() throws {
    try makeTree("mine")
    try makeTree("theirs")
    #expect(chown(directory.path("theirs"), 65534, 65534) == 0)
    let report = try pass()
    #expect(left == ["mine"] && aside.isEmpty)
    #expect(report.dropped.map(\.description) == ["theirs, no recording, of user 65534"])
  }

  @Test func aTreeIsRemovedWithoutFollowingLinks() throws {
    try directory.write("kept", to: "kept/file")
    try makeTree("\(DiscardedTree.prefix)1")
    DiscardedTree(folder: directory.url.path).remove {}
    #expect(directory.entries == ["kept"])
    #expect(FileManager.default.fileExists(atPath: directory.path("kept/file")))
  }
}
