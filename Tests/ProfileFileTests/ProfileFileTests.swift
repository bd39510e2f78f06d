import FirstlightModel
import Foundation
import ProfileFile
import TestSupport
import Testing

@Suite struct ProfileFileTests {
  @Test func writtenFilesReadBack() throws {
    let file = try TemporaryFile()
    let profile = Self.profile()
    try ProfileFile.write(profile, to: file.path)
    let read = try ProfileFile.read(file.path)
    #expect(read.runs == profile.runs)
    #expect(read.builds.map(\.build.functions) == profile.builds.map(\.build.functions))
    #expect(read.builds.map(\.coverage) == profile.builds.map(\.coverage))
    #expect(read.builds.map(\.countedRuns) == profile.builds.map(\.countedRuns))
    #expect(read.builds.map(\.mergedBodies) == profile.builds.map(\.mergedBodies))
    #expect(read.processes.map(\.calls) == profile.processes.map(\.calls))
    #expect(read.processes.map(\.losses) == profile.processes.map(\.losses))
    #expect(read.processes.map(\.forkedFrom) == profile.processes.map(\.forkedFrom))
    #expect(read.processes.map(\.returns) == profile.processes.map(\.returns))
    #expect(read.processes.map(\.marks) == profile.processes.map(\.marks))
    #expect(read.processes.map(\.launch) == profile.processes.map(\.launch))
  }

  /// What a fleet says of its rows reaches the list that is made from its profile.
  @Test func problemsOfAFleetReadBack() throws {
    var profile = Self.profile()
    profile.unlisted.runs = 3
    profile.unlisted.add(problem: "a day has \"256\" sets of labels\nand more")
    let read = try ProfileFile.read(bytes: ProfileFile.bytes(of: profile))
    #expect(read.unlisted.problems == profile.unlisted.problems && read.unlisted.runs == 3)
  }

  @Test func whatHasNoFormInJSONIsNotWritten() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    profile.processes[0].launch?.scale = .nan
    let failure = #expect(throws: Failure.self) { try ProfileFile.write(profile, to: file.path) }
    #expect(failure?.problem.contains("cannot be written as JSON") == true)
  }

  @Test func marksAreReadByTime() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    profile.processes[0].marks.swapAt(0, 1)
    try ProfileFile.write(profile, to: file.path)
    let read = try ProfileFile.read(file.path)
    #expect(read.processes[0].marks == Self.profile().processes[0].marks)
    #expect(read.processes[0].counted == Self.profile().processes[0].counted)
  }

  @Test func oneBuildMayHaveTwoRecorders() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    var watched = profile.builds[0]
    watched.build.recorder = .breakpoints
    profile.builds.append(watched)
    try ProfileFile.write(profile, to: file.path)
    let read = try ProfileFile.read(file.path)
    #expect(read.builds.map(\.build.recorder) == profile.builds.map(\.build.recorder))
    #expect(Set(read.builds.map(\.build.buildID)).count == profile.builds.count - 1)
  }

  @Test func aTraceLeftOutKeepsItsCount() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    profile.processes[0].leaveOutTrace()
    try ProfileFile.write(profile, to: file.path)
    let read = try #require(try ProfileFile.read(file.path).processes.first)
    #expect(read.isTraceLeftOut)
    #expect(read.callCount == 3)
    #expect(read.returns.isEmpty && read.marks.isEmpty && read.launch == nil)
    #expect(read.counted.isEmpty)
  }

  /// A program without guards and breakpoints can mark.
  @Test func marksWithoutCallsAreATraceToo() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    let called = profile.processes[0]
    var process = RecordedProcess(
      id: called.id, run: called.run, pid: 1, parentPID: 0, forkedFrom: nil, path: called.path,
      arguments: [], startedAt: 1, readyAfter: nil, losses: called.losses, calls: [])
    process.marks = called.marks
    #expect(!process.isTraceLeftOut)
    process.leaveOutTrace()
    profile.processes = [process]
    try ProfileFile.write(profile, to: file.path)
    #expect(try ProfileFile.read(file.path).processes.map(\.isTraceLeftOut) == [true])
  }

  @Test func anOldProfileIsReplacedWhole() throws {
    let file = try TemporaryFile()
    try Data("something else".utf8).write(to: URL(fileURLWithPath: file.path))
    try ProfileFile.write(Self.profile(), to: file.path)
    #expect(try ProfileFile.read(file.path).runs.count == 1)
    #expect(file.siblings == [file.name])
  }

  /// A folder like /tmp: another user may add files, and SQLite would take these for the profile's latest changes.
  @Test(arguments: ["-wal", "-journal"])
  func filesBesideAProfileAreNoPartOfIt(suffix: String) throws {
    let file = try TemporaryFile()
    let other = try TemporaryFile()
    try ProfileFile.write(Self.profile(), to: file.path)
    try ProfileFile.write(Self.profile(), to: other.path)
    let mode = suffix == "-wal" ? "WAL" : "PERSIST"
    try Command.check([
      "sqlite3", other.path, "PRAGMA journal_mode = \(mode); PRAGMA wal_autocheckpoint = 0",
      "BEGIN; DELETE FROM coverage; UPDATE run SET command = '[\"forged\"]'; "
        + (suffix == "-wal" ? "COMMIT" : "PRAGMA cache_size = 1"),
      ".system cp \(other.path)\(suffix) \(file.path)\(suffix)",
    ])
    let before = try FileManager.default.contentsOfDirectory(atPath: file.folder).sorted()
    #expect(before == [file.name, file.name + suffix])
    let read = try ProfileFile.read(file.path)
    #expect(read.runs == Self.profile().runs)
    #expect(read.builds.map(\.coverage) == Self.profile().builds.map(\.coverage))
    #expect(try ProfileFile.readSums(file.path).unlisted.runs == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.folder).sorted() == before)
  }

  @Test(.timeLimit(.minutes(1)))
  func aPipeIsNoProfile() throws {
    let file = try TemporaryFile()
    try #require(mkfifo(file.path, 0o600) == 0)
    let failure = try #require(throws: Failure.self) { try ProfileFile.read(file.path) }
    #expect(failure.problem == "\(file.path): cannot be opened: not a regular file")
  }

  @Test func failedWritesLeaveNoFile() throws {
    #expect(throws: Failure.self) {
      try ProfileFile.write(Self.profile(), to: "/nonexistent/directory/a.flp")
    }
  }

  @Test func aMissingFileIsNamed() throws {
    let failure = try #require(throws: Failure.self) { try ProfileFile.read("/nonexistent.flp") }
    #expect(failure.kind == .noInput)
    #expect(failure.problem.contains("/nonexistent.flp"))
  }

  @Test(arguments: [
    "", "hello", "SQLite format 3\0 but not really, and quite a bit longer than that is",
  ])
  func aForeignFileIsRefused(text: String) throws {
    let file = try TemporaryFile()
    try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
    let failure = try #require(throws: Failure.self) { try ProfileFile.read(file.path) }
    #expect(failure.kind == .data)
    #expect(failure.problem.contains(file.path))
  }

  @Test func anotherDatabaseIsRefused() throws {
    let file = try TemporaryFile()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", file.path, "CREATE TABLE t (a)"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let failure = try #require(throws: Failure.self) { try ProfileFile.read(file.path) }
    #expect(failure.problem.contains("not a Firstlight profile"))
  }

  /// A reader trusts no file: whatever byte is wrong, there is a profile or a `Failure`.
  @Test func damageNeverEndsTheReader() throws {
    let file = try TemporaryFile()
    try ProfileFile.write(Self.profile(), to: file.path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
    var generator = SplitMix64(state: 1)
    for _ in 0..<400 {
      var damaged = whole
      for _ in 0..<4 {
        damaged[Int.random(in: 100..<whole.count, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        damaged = damaged.prefix(Int.random(in: 0..<whole.count, using: &generator))
      }
      try damaged.write(to: URL(fileURLWithPath: file.path))
      do throws(Failure) {
        _ = try ProfileFile.read(file.path)
      } catch {
        #expect(error.problem.contains(file.path))
      }
    }
  }

  /// The seeds of Scripts/fuzz, and what it found.
  @Test(arguments: [
    ("sound", true), ("left-out", true), ("accounts", true), ("huge-guards", false),
    ("broken-schema", false),
  ])
  func aFixtureIsReadOrRefusedInOneLine(name: String, isSound: Bool) throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/profiles/\(name).flp").path
    do throws(Failure) {
      let profile = try ProfileFile.read(path)
      #expect(isSound)
      #expect(profile.processes.count == 2)
    } catch {
      #expect(!isSound)
      #expect(error.kind == .data)
      #expect(error.problem.allSatisfy { !$0.isNewline })
    }
  }

  /// Values of another type than the column's, as any SQLite tool can put there.
  @Test(arguments: [
    "UPDATE build SET guards = 'many'",
    "UPDATE build SET guards = 1000000000000", "UPDATE build SET guards = 49000000",
    "UPDATE build SET build_id = 'XYZ'", "UPDATE function SET id = 99 WHERE id = 0",
    "DELETE FROM file", "DELETE FROM demangled", "UPDATE demangled SET size = 9",
    "UPDATE demangled SET size = -1", "UPDATE demangled SET size = 1 << 40",
    "UPDATE demangled SET names = x'00'",
    "UPDATE function SET size = 'large'", "UPDATE function SET name = 99",
    "UPDATE function SET file = 99", "UPDATE function SET line = 'x'",
    "UPDATE function SET code = 9", "UPDATE function SET code = 1 WHERE id = 0",
    "UPDATE function SET id = 99 WHERE code = 1", "DELETE FROM name", "DELETE FROM module",
    "UPDATE name SET module = 9", "UPDATE alias SET function = 99",
    "UPDATE copy SET guard = 9 WHERE guard = 3", "UPDATE copy SET function = 0",
    "UPDATE coverage SET runs = -3",
    "UPDATE process SET trace = x'ff'", "UPDATE process SET calls = 1000000000",
    "UPDATE process SET arguments = '{'", "UPDATE run SET cores = 'x'", "DROP TABLE coverage",
    "UPDATE run SET exit_status = NULL", "UPDATE run SET exit_status = 'x'",
    "UPDATE process SET pid = -1", "DELETE FROM run",
    "PRAGMA user_version = \(ProfileSchema.version + 1)",
    "PRAGMA user_version = 5",
    "UPDATE counter SET runs = 3", "UPDATE counter SET runs = 0",
    "UPDATE counter SET function = 0", "UPDATE build SET counted_runs = 0",
    "DELETE FROM function WHERE code = 4",
    "UPDATE counted_process SET functions = 73", "UPDATE counted_process SET functions = 64",
    "UPDATE counted_process SET called = x'00'", "UPDATE counted_process SET build_id = 'XYZ'",
    "UPDATE counted_process SET process = 'another'", "DROP TABLE counted_process",
    "UPDATE process SET returns = x''", "UPDATE process SET returns = x'000000'",
    // A call cannot be its own caller's caller: the first has none.
    "UPDATE process SET returns = x'100000' || substr(returns, 4)",
    "UPDATE process SET returns = returns || x'000000'", "UPDATE process SET returns = 'many'",
    "UPDATE process SET launch = '{'", "UPDATE process SET launch = '{\"stages\": 1}'",
    "UPDATE process SET launch = json_set(launch, '$.stages[1].start', 41)",
    "UPDATE process SET launch = json_set(launch, '$.stages[1].duration', 9223372036854775807)",
    "UPDATE process SET launch = json_set(launch, '$.stages[0].kind', 'nap')",
    "UPDATE process SET launch = json_set(launch, '$.images[0].mapping', -1)",
    "UPDATE mark SET time = -1", "UPDATE mark SET thread = 4294967296",
    "UPDATE mark SET kind = 'nap'", "UPDATE mark SET kind = 'mark'",
    "UPDATE mark SET duration = -1", "UPDATE mark SET duration = 9223372036854775807",
    "UPDATE mark SET name = x'ff00'", "UPDATE mark SET process = 'another'", "DROP TABLE mark",
  ])
  func wrongValuesAreRefused(statement: String) throws {
    let file = try TemporaryFile()
    try ProfileFile.write(Self.profile(), to: file.path)
    try Command.check([
      "sqlite3", file.path,
      "PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON; \(statement)",
    ])
    let failure = try #require(throws: Failure.self) { try ProfileFile.read(file.path) }
    #expect(failure.kind == .data)
  }

  @Test(
    arguments: [.exited(0), .exited(3), .signalled(11), .other("exit status 3")] as [RunEnding])
  func endingsAreKept(ending: RunEnding) throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    profile.runs[0].ending = ending
    try ProfileFile.write(profile, to: file.path)
    #expect(try ProfileFile.read(file.path).runs[0].ending == ending)
    let sums = try ProfileFile.readSums(file.path) { _ in }
    #expect(sums.unlisted.badEndings == (ending.isBad ? [ending: 1] : [:]))
  }

  static func profile() -> Profile {
    let functions = (0..<3).map { index in
      Function(
        address: index == 2 ? nil : UInt64(0x8000_0000_0000_0000) + UInt64(index), size: 16,
        name: "$s\(index)", aliases: index == 1 ? ["x", "y"] : [], demangledName: "f \(index)",
        module: index == 0 ? "" : "M", file: index == 0 ? nil : "/a b/ü.swift", line: index,
        isCompilerGenerated: index == 2, isLocal: index == 1)
    }
    var build = Build(
      buildID: BuildID("aabb")!, path: "/bin/example", kind: .sharedLibrary,
      architecture: "x86_64", hasSymbols: true, hasDebugInfo: false, functions: functions,
      entryGuards: [0, 2, 3], guardCount: 5)
    build.functions += [
      Function(
        address: 0x9000, size: 8, name: "u", demangledName: "u", module: "", file: "/u.c", line: 3,
        isLocal: true),
      Function(
        code: .copies(of: [0, 3], unknownHost: true), name: "$s7", demangledName: "f 7",
        module: "M", file: nil, line: 0),
      Function(
        code: .copies(of: [], unknownHost: false), name: "i", demangledName: "i", module: "",
        file: "/u.c", line: 8),
    ]
    var recorded = RecordedBuild(
      build: build, runs: 1, mergedBodies: [3: "bodyTm"], withoutStart: [0, 1, 4],
      unwatched: [0, 4])
    recorded.coverage[2] = GuardCoverage(runs: 1, firstSeen: 100.5, lastSeen: 101.25)
    recorded.sources = ["/a b/ü.swift": .max]
    recorded.counters = SourceCounters(
      runs: 2,
      [
        Function(
          code: .counted(GuardCoverage(runs: 2, firstSeen: 100, lastSeen: 102)), name: "$s9",
          demangledName: "f 9", module: "M", file: "/a b/ü.swift", line: 9),
        Function(
          code: .counted(GuardCoverage()), name: "c", demangledName: "c", module: "", file: "/c.c",
          line: 1),
      ])
    let run = Run(
      id: "0011", command: ["a", "b c", "\"d\""],
      host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 2),
      startedAt: 100, endedAt: 102, ending: .exited(0), problems: ["one", "two"],
      attachment: .probes)
    var process = RecordedProcess(
      id: "1-2-3", run: "0011", pid: 7, parentPID: 1, forkedFrom: "0-0-0", path: "/bin/example",
      arguments: ["a"], startedAt: 100, readyAfter: 0.5,
      losses: Losses(
        drops: 1, uncommitted: 2, lostImages: 3, unreadableSegments: 4, unrecordedProcesses: 5,
        runningProcesses: 6),
      calls: [
        RecordedCall(build: 0, guardIndex: 4, thread: 70, time: 5),
        RecordedCall(build: 0, guardIndex: 0, thread: 71, time: 1 << 40),
        RecordedCall(build: 0, guardIndex: 2, thread: 70, time: 1 << 41),
      ])
    process.returns = [
      CallOutcome(
        parent: -1, duration: 1 << 42, ending: .returned, minorFaults: 7, majorFaults: .max),
      CallOutcome(parent: -1, duration: nil, ending: .asynchronous, minorFaults: 0, majorFaults: 0),
      CallOutcome(parent: 0, duration: 0, ending: .tailCall, minorFaults: 1, majorFaults: 2),
    ]
    process.marks = [
      ProgramMark(name: "config\nlöaded", thread: 70, time: 0, kind: .mark),
      ProgramMark(name: "", thread: .max, time: 9, kind: .span(duration: nil)),
      ProgramMark(name: "tls", thread: 71, time: 1 << 50, kind: .span(duration: 1 << 51)),
      ProgramMark(name: "twice", thread: 71, time: 1 << 50, kind: .span(duration: 1 << 51)),
    ]
    var counted = CountedRecords(count: 70)
    for record in [0, 9, 63, 69] { counted.note(record) }
    process.counted = [BuildID("aabb")!: counted]
    process.launch = LaunchRecord(
      stages: [
        LaunchStage(kind: .exec, start: 2, duration: 40, minorFaults: 3, majorFaults: 1),
        LaunchStage(kind: .main, start: 42, duration: 0, minorFaults: 0, majorFaults: 0),
      ],
      initializers: [
        InitializerRun(
          image: "/bin/example", name: "init", address: .max, thread: 70, start: 5, duration: nil,
          minorFaults: 100, majorFaults: 0)
      ],
      images: [
        LoadedImage(
          path: "/bin/example", mappedAt: 3, mapping: 1, relocating: nil, isLoadedLater: false)
      ])
    process.launch?.scale = 0.75
    return Profile(builds: [recorded], runs: [run], processes: [process])
  }
}

/// A path in a directory of its own, which goes with it.
final class TemporaryFile {
  let name = "a.flp"
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  var path: String { directory.path(name) }
  var folder: String { directory.url.path }
  var siblings: [String] { directory.entries }
}
