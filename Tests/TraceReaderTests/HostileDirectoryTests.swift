import FirstlightModel
import Foundation
import Testing
import TraceReader

@Suite("A directory in which others meddle")
struct HostileDirectoryTests {
  let directory: SegmentDirectory
  static let other = ProcessID(pid: 99, namespace: 99, start: 77_100, key: 2)

  /// One sound process with one sound segment, which every test expects to find unharmed.
  init() throws {
    directory = try SegmentDirectory()
    try directory.write(process: .process())
    try directory.write(segment: .segment(records: [Record(guardNumber: 4, sequence: 0)]), 0)
  }

  private func name(_ number: Int) -> String {
    "\(directory.path)/\(someProcess)-\(number).segment"
  }

  /// The sound process's trace and what else is told of the directory.
  private func read() throws -> (trace: Trace, problems: [String]) {
    let reading = try directory.read()
    let trace = try #require(reading.traces.first { $0.process == someProcess })
    #expect(trace.firstCalls.map(\.guardIndex) == [3])
    return (trace, reading.problems.map(\.problem))
  }

  @Test("a link is not followed")
  func symbolicLink() throws {
    #expect(symlink(name(0), name(1)) == 0)
    let (trace, problems) = try read()
    #expect(problems == ["\(name(1)): cannot be opened: a symbolic link, not a regular file"])
    #expect(trace.losses.unreadableSegments == 1)
  }

  @Test("a pipe does not make the reader wait")
  func pipe() throws {
    #expect(mkfifo(name(1), 0o600) == 0)
    let (trace, problems) = try read()
    #expect(problems == ["\(name(1)): cannot be opened: not a regular file"])
    #expect(trace.losses.unreadableSegments == 1)
  }

  @Test("a directory is not read as a file")
  func subdirectory() throws {
    #expect(mkdir(name(1), 0o700) == 0)
    let (_, problems) = try read()
    #expect(problems == ["\(name(1)): cannot be opened: not a regular file"])
  }

  @Test("a bad segment costs its own process one segment and others nothing")
  func badSegment() throws {
    try directory.write(segment: FileBytes(bytes: []), 1)
    try directory.write(process: .process(Self.other), of: Self.other)
    let (trace, problems) = try read()
    #expect(
      problems == ["\(name(1)): offset 0: file ends within its header, expected 4096 bytes of it"])
    #expect(trace.losses == Losses(unreadableSegments: 1))
    let losses = try directory.read().traces.map(\.losses)
    #expect(losses.filter(\.isEmpty).count == 1)
  }

  @Test("a bad process file costs only what it alone knows")
  func badProcessFile() throws {
    var process = FileBytes.process()
    process[8, as: UInt32.self] = 2  // version
    try directory.write(process: process)
    let reading = try directory.read()
    #expect(reading.traces.map { $0.firstCalls.map(\.guardIndex) } == [[3]])
    #expect(reading.traces.map(\.path) == [""])
    #expect(
      reading.problems == [
        Failure(
          .data,
          "\(directory.path)/\(someProcess).process: offset 8: process file has version 2, "
            + "this reader knows version 1",
          advice: "use the firstlight version of the runtime that wrote it")
      ])
  }

  @Test("a segment under another process's name is left out")
  func foreignSegment() throws {
    try directory.write(segment: .segment(process: Self.other), 1)
    let (trace, problems) = try read()
    #expect(
      problems == [
        "\(name(1)): offset 24: header is of process \(Self.other), expected \(someProcess)"
      ])
    #expect(trace.images.count == 1)
  }

  @Test("a segment of another pid namespace is left out")
  func foreignNamespace() throws {
    var stranger = someProcess
    stranger.namespace = 100
    try directory.write(segment: .segment(process: stranger), 1)
    let (_, problems) = try read()
    #expect(problems == ["\(name(1)): offset 24: header is of pid namespace 100, expected 99"])
  }

  @Test("a process file under another process's name is left out")
  func foreignProcessFile() throws {
    try directory.write(.process(), "\(Self.other).process")
    let (trace, problems) = try read()
    #expect(trace.losses.isEmpty)
    #expect(
      problems == [
        "\(directory.path)/\(Self.other).process: offset 16: header is of process \(someProcess), "
          + "expected \(Self.other)"
      ])
  }

  @Test(
    "a segment that another user adds is left out and costs nothing",
    .enabled(if: geteuid() == 0, "needs root"))
  func foreignOwner() throws {
    try directory.write(segment: .segment(records: [Record(guardNumber: 1, sequence: 1)]), 1)
    #expect(chown(name(1), 4242, 4242) == 0)
    let (trace, problems) = try read()
    #expect(trace.losses.isEmpty)
    #expect(
      problems == [
        "\(name(1)): belongs to user 4242, expected user 0 as of the process's other files; left out"
      ])
  }

  @Test(
    "a segment that may not be read is named", .enabled(if: geteuid() != 0, "root may read all"))
  func unreadable() throws {
    try directory.write(segment: .segment(), 1)
    #expect(chmod(name(1), 0) == 0)
    let (trace, problems) = try read()
    #expect(problems == ["\(name(1)): cannot be opened: Permission denied"])
    #expect(trace.losses.unreadableSegments == 1)
  }

  @Test("a sequence given twice keeps both first calls, in order of time, and is told")
  func repeatedSequence() throws {
    try directory.write(
      segment: .segment(records: [
        Record(guardNumber: 1, time: 9_000, sequence: 5),
        Record(guardNumber: 2, time: 4_000, sequence: 0),
      ]), 1)
    let reading = try directory.read()
    let trace = try #require(reading.traces.first)
    #expect(trace.firstCalls.map(\.time) == [4_000, 5_000, 9_000])
    #expect(trace.firstCalls.map(\.sequence) == [0, 0, 5])
    #expect(
      reading.problems.map(\.problem) == [
        "\(name(1)): sequence 0 of guard 2 occurs twice in process 4321; "
          + "2 first calls of such sequences are in order of time"
      ])
  }

  @Test("no time of a trace is before its clock base")
  func processFileLaterThanSegments() throws {
    try directory.write(process: .process(monotonic: 1 << 60))
    let (trace, _) = try read()
    #expect(trace.clockBase.monotonic == 1_000)
    #expect(trace.firstCalls.allSatisfy { $0.time >= trace.clockBase.monotonic })
  }

  @Test("a vast empty file is read without memory for it")
  func sparse() throws {
    var file = FileBytes.segment(records: [Record(guardNumber: 1, sequence: 1)])
    file[20, as: UInt32.self] = 1 << 20  // capacity
    file[80, as: UInt64.self] = 1 << 30  // image_size
    file[4032, as: UInt32.self] = 1 << 20  // count
    try directory.write(segment: file, 1)
    #expect(truncate(name(1), 4096 + (1 << 20) * 24) == 0)
    let segment = try SegmentFile.read(path: name(1))
    #expect(segment.firstCalls.count == 1)
    #expect(segment.uncommitted == (1 << 20) - 1)
    #expect(segment.problem == nil)
  }
}
