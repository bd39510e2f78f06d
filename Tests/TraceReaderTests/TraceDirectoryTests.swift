import FirstlightModel
import Foundation
import Testing
import TraceReader

@Suite("A directory of recordings")
struct TraceDirectoryTests {
  let directory: SegmentDirectory
  static let other = ProcessID(pid: 4322, namespace: 99, start: 77_100, key: 0xffff_0000_ffff_0001)

  init() throws { directory = try SegmentDirectory() }

  @Test("that is empty gives no traces and no problems")
  func empty() throws {
    let reading = try directory.read()
    #expect(reading.traces.isEmpty)
    #expect(reading.problems.isEmpty)
  }

  @Test("gives one process's first calls over all its images in order of sequence")
  func oneProcess() throws {
    var process = FileBytes.process()
    process[4036, as: UInt32.self] = 3  // images
    process[4040, as: UInt32.self] = 1  // lost_images
    process[4048, as: UInt64.self] = 9_000  // ready
    try directory.write(process: process)
    // Numbers with two digits: images come in order of number, not of text.
    var executable = FileBytes.segment(records: [
      Record(guardNumber: 1, sequence: 1), Record(guardNumber: 0, sequence: 0),
      Record(guardNumber: 3, sequence: 0),
    ])
    executable[4036, as: UInt32.self] = 2  // drops
    try directory.write(segment: executable, 2)
    var library = FileBytes.segment(
      path: "/usr/lib/libexample.so", records: [Record(guardNumber: 2, sequence: 2)])
    library[4036, as: UInt32.self] = 5  // drops
    try directory.write(segment: library, 10)

    let reading = try directory.read()
    #expect(reading.problems.isEmpty)
    let trace = try #require(reading.traces.first)
    #expect(reading.traces.count == 1)
    #expect(trace.process == someProcess)
    #expect(trace.parentPID == 1234)
    #expect(trace.path == "/usr/bin/example")
    #expect(trace.arguments == ["example", "--fast"])
    #expect(trace.clockBase == (900, 1_700_000_000_000_000_000))
    #expect(trace.ready == 9_000)
    #expect(trace.images.map(\.path) == ["/usr/bin/example", "/usr/lib/libexample.so"])
    #expect(trace.images.map(\.drops) == [2, 5])
    #expect(trace.firstCalls.map(\.sequence) == [0, 1, 2])
    #expect(trace.firstCalls.map(\.image) == [0, 0, 1])
    #expect(trace.firstCalls.map(\.guardIndex) == [2, 0, 1])
    #expect(trace.losses == Losses(drops: 7, uncommitted: 1, lostImages: 1))
  }

  @Test("counts segments that the process created and that are gone as lost")
  func lostSegments() throws {
    var process = FileBytes.process()
    process[4036, as: UInt32.self] = 4  // images
    process[4040, as: UInt32.self] = 1  // lost_images
    try directory.write(process: process)
    try directory.write(segment: FileBytes.segment(records: []), 3)
    let reading = try directory.read()
    #expect(reading.traces.map(\.losses) == [Losses(lostImages: 1, unreadableSegments: 2)])
    #expect(reading.problems.map(\.problem).contains { $0.hasSuffix("4 segments, 2 are missing") })
    // A running process may be creating them.
    let traces = try TraceDirectory(path: directory.path)
    let entry = try #require(try traces.entries().first)
    let running = try traces.readRunning(entry, keepsCalls: true)
    #expect(running.trace?.losses == Losses(lostImages: 1))
  }

  @Test("knows the counters beside a segment, and that they go with the process's files")
  func counters() throws {
    try directory.write(process: FileBytes.process())
    try directory.write(segment: FileBytes.segment(records: []), 0)
    try directory.write(segment: FileBytes.segment(records: []), 1)
    let names = [1, 7].map { "\(someProcess)-\($0).counters" }
    for name in names { try directory.write(.counters([[0], [4, 0]]), name) }
    let trace = try #require(directory.read().traces.first)
    #expect(trace.images.map { $0.counters?.words } == [nil, [0b10]])
    let entry = try #require(TraceDirectory(path: directory.path).entries().first)
    #expect(entry.counters == [1, 7])
    #expect(entry.files.filter { $0.hasSuffix(".counters") } == names)
  }

  @Test("keeps processes apart and in order of their start")
  func twoProcesses() throws {
    // The later process has the lower pid: numbers wrap.
    let late = ProcessID(pid: 12, namespace: 99, start: 80_000, key: 0x1)
    try directory.write(process: .process(late, monotonic: 5_000), of: late)
    try directory.write(process: .process())
    for (number, sequence) in [(0, UInt32(0)), (1, 1)] {
      let records = [Record(guardNumber: 1, time: 6_000, sequence: sequence)]
      try directory.write(segment: .segment(process: late, records: records), number, of: late)
      try directory.write(segment: .segment(records: records), number)
    }
    let reading = try directory.read()
    #expect(reading.problems.isEmpty)
    #expect(reading.traces.map(\.process) == [someProcess, late])
    #expect(reading.traces.map { $0.firstCalls.map(\.sequence) } == [[0, 1], [0, 1]])
  }

  @Test("tells apart programs that one process ran one after the other")
  func exec() throws {
    var next = someProcess
    next.key = 0xabd
    try directory.write(process: .process())
    try directory.write(process: .process(next, monotonic: 2_000), of: next)
    try directory.write(segment: .segment(), 0)
    try directory.write(segment: .segment(process: next, monotonic: 2_001), 0, of: next)
    let reading = try directory.read()
    #expect(reading.traces.map(\.process) == [someProcess, next])
    #expect(reading.problems.isEmpty)
  }

  @Test("knows which process another was forked from")
  func fork() throws {
    try directory.write(process: .process())
    try directory.write(
      process: .process(Self.other, monotonic: 3_000, forkedFrom: (someProcess, 17)),
      of: Self.other)
    let traces = try directory.read().traces
    #expect(traces.map(\.process) == [someProcess, Self.other])
    #expect(traces.map(\.forkedFrom?.process) == [nil, someProcess])
    #expect(traces.last?.forkedFrom?.sequence == 17)
  }

  @Test("gives a process without process file what its segments know, and says so")
  func missingProcessFile() throws {
    try directory.write(
      segment: .segment(monotonic: 4_000, records: [Record(guardNumber: 1, sequence: 1)]), 1)
    try directory.write(
      segment: .segment(monotonic: 3_000, records: [Record(guardNumber: 1, sequence: 0)]), 0)
    let reading = try directory.read()
    let trace = try #require(reading.traces.first)
    #expect(trace.process == someProcess)
    #expect(trace.path.isEmpty)
    #expect(trace.clockBase.monotonic == 3_000)
    #expect(trace.firstCalls.map(\.sequence) == [0, 1])
    #expect(
      reading.problems.map(\.problem) == [
        "\(directory.path)/\(someProcess).process: cannot be opened: No such file or directory"
      ])
  }

  @Test("gives a process that called nothing an empty trace")
  func missingSegments() throws {
    try directory.write(process: .process())
    let reading = try directory.read()
    #expect(reading.traces.map(\.images.isEmpty) == [true])
    #expect(reading.problems.isEmpty)
  }

  @Test(
    "ignores files of other names",
    arguments: [
      ".4321-77000-0000000000000abc-0.segment", "4321-77000-0000000000000abc.ready", "README",
      "4321-77000-0000000000000abc.segment", "4321-77000-0000000000000ABC.process",
      "4321-77000-abc.process", "04321-77000-0000000000000abc.process",
      "+4321-77000-0000000000000abc.process", "4321-77000-0000000000000abc-00.segment",
      "4321-77000-0000000000000abc-4294967296.segment", "4321-77000-0000000000000abc-0.segment~",
      "4294967296-77000-0000000000000abc.process", "-4321-77000-0000000000000abc.process",
    ])
  func foreignNames(name: String) throws {
    try directory.write(FileBytes(bytes: Array("nonsense".utf8)), name)
    let reading = try directory.read()
    #expect(reading.traces.isEmpty)
    #expect(reading.problems.isEmpty)
  }

  @Test("that is not there is a failure that names it")
  func missing() {
    let failure = #expect(throws: Failure.self) {
      try TraceDirectory(path: "\(directory.path)/absent")
    }
    #expect(failure?.kind == .noInput)
    #expect(failure?.problem.hasPrefix("\(directory.path)/absent: ") == true)
  }

  @Test("that is a file is a failure that names it")
  func file() throws {
    try directory.write(.process(), "file")
    let failure = #expect(throws: Failure.self) {
      try TraceDirectory(path: "\(directory.path)/file")
    }
    #expect(failure?.kind == .noInput)
    #expect(
      failure?.problem
        == "\(directory.path)/file: cannot be read as a directory: Not a directory")
  }

  @Test(
    "tells of an ended process what it called, with its first calls and without",
    arguments: [8, 3000])
  func endedProcess(capacity: UInt32) throws {
    try directory.write(process: .process())
    var library = FileBytes.segment(
      capacity: capacity,
      records: [
        Record(guardNumber: 8, time: 6_000, sequence: 2),
        Record(guardNumber: 3, time: 5_500, sequence: 1),
        // Damaged, both: they count nowhere.
        Record(guardNumber: 3, time: 9_000, sequence: 3),
        Record(guardNumber: capacity + 1, time: 9_000, sequence: 4),
      ])
    // Of the larger image there are only the first slots: too few for a bit each.
    library.resize(4096 + 8 * 24)
    try directory.write(segment: library, 0)
    let reader = try TraceDirectory(path: directory.path)
    let entry = try #require(try reader.entries().first)
    for keepsCalls in [true, false] {
      let ended = try reader.readEnded(entry, keepsCalls: keepsCalls)
      #expect(ended.trace?.firstCalls.map(\.guardIndex) == (keepsCalls ? [2, 7] : []))
      #expect(ended.called.map(\.guards) == [[2, 7]])
      #expect(ended.called.map(\.listed.isEmpty) == [capacity == 8])
      #expect(ended.called.map(\.times) == [5_500...6_000])
      #expect(ended.trace?.losses.uncommitted == 2)
      #expect(ended.problems.count == 1)
    }
  }

  @Test(
    "takes no file for a process's whose name is spelt otherwise",
    arguments: [
      "01-2-0000000000000003.process", "1-02-0000000000000003.process",
      "1-2-000000000000003.process",
      "1-2-00000000000000003.process", "1-2-000000000000000A.process",
      "+1-2-0000000000000003.process",
      "4294967296-2-0000000000000003.process", "1-18446744073709551616-0000000000000003.process",
      "1-2-0000000000000003-.segment", "1-2-0000000000000003-00.segment",
      "1-2-0000000000000003-4294967296.segment", "1-2-0000000000000003-0.process",
      "1-2-0000000000000003.segment", "1-2-0000000000000003.process.",
      "1--0000000000000003.process",
      "1-2-0000000000000003", "-1-2-0000000000000003.process", "", ".process",
    ])
  func otherNames(name: String) {
    #expect(TraceEntry.process(ofFile: name) == nil)
  }

  @Test(
    "knows a process by all names of its files",
    arguments: [
      ProcessID(pid: 0, namespace: 0, start: 0, key: 0),
      ProcessID(pid: .max, namespace: 0, start: .max, key: .max),
      ProcessID(pid: 4321, namespace: 0, start: 77_000, key: 0x0abc_def0_1234_5678),
    ])
  func names(process: ProcessID) {
    // As printf(3) spells them.
    let stem = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      withVaList([process.pid, process.start, process.key]) {
        _ = vsnprintf(text.baseAddress, 64, "%u-%llu-%016llx", $0)
      }
      return String(cString: text.baseAddress!)
    }
    #expect(process.description == stem)
    for ending in [".process", ".marks", "-0.segment", "-10.segment", "-4294967295.segment"] {
      #expect(TraceEntry.process(ofFile: stem + ending) == process)
    }
  }
}
