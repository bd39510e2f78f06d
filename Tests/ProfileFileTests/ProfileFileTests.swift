import FirstlightModel
import Foundation
import ProfileFile
import TestSupport
import Testing

@Suite struct ProfileFileTests {
  @Test func returnsWithoutProcessorTimeAreReadAsEver() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    for index in profile.processes[0].returns.indices {
      profile.processes[0].returns[index].cpuTime = nil
      profile.processes[0].returns[index].stops = 0
    }
    profile.processes[0].launch?.accuracy = nil
    try ProfileFile.write(profile, to: file.path)
    let read = try ProfileFile.read(file.path).processes
    #expect("\(read)" == "\(profile.processes)")
  }

  @Test func writtenFilesReadBack() throws {
    let file = try TemporaryFile()
    let profile = Self.profile()
    try ProfileFile.write(profile, to: file.path)
    let read = try ProfileFile.read(file.path)
    #expect(read.runs == profile.runs)
    #expect(read.builds.map(\.build.functions) == profile.builds.map(\.build.functions))
    #expect(read.builds.map(\.build.entryGuards) == profile.builds.map(\.build.entryGuards))
    #expect(read.builds.map(\.coverage) == profile.builds.map(\.coverage))
    #expect(read.builds.map(\.counters) == profile.builds.map(\.counters))
    #expect(read.builds.map(\.mergedBodies) == profile.builds.map(\.mergedBodies))
    #expect(read.processes.map(\.calls) == profile.processes.map(\.calls))
    #expect(read.processes.map(\.losses) == profile.processes.map(\.losses))
    #expect(read.processes.map(\.forkedFrom) == profile.processes.map(\.forkedFrom))
    #expect(read.processes.map(\.returns) == profile.processes.map(\.returns))
    #expect(read.processes.map(\.marks) == profile.processes.map(\.marks))
    #expect(read.processes.map(\.launch) == profile.processes.map(\.launch))
  }

  @Test func whatHasNoFormInJSONIsNotWritten() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    profile.processes[0].launch?.accuracy?.scale = .nan
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
  }

  /// A program without guards and breakpoints can mark.
  @Test func marksWithoutCallsAreATraceToo() throws {
    let file = try TemporaryFile()
    var profile = Self.profile()
    var process = profile.processes[0].keepingCalls { _ in false }
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
    "UPDATE build SET build_id = 'XYZ'", "UPDATE function SET guard = 99 WHERE guard = 0",
    "DELETE FROM file",
    "UPDATE function SET size = 'large'", "UPDATE coverage SET runs = -3",
    "UPDATE process SET trace = x'ff'", "UPDATE process SET calls = 1000000000",
    "UPDATE process SET arguments = '{'", "UPDATE run SET cores = 'x'", "DROP TABLE coverage",
    "UPDATE run SET exit_status = NULL", "UPDATE run SET exit_status = 'x'",
    "UPDATE process SET pid = -1", "DELETE FROM run", "PRAGMA user_version = 8",
    "PRAGMA user_version = 6",
    "UPDATE counter SET runs = 3", "UPDATE counter SET file = 99", "UPDATE counter SET line = 'x'",
    "UPDATE counted SET runs = 0", "DELETE FROM counter",
