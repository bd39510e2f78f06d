import FirstlightModel
import Testing
import TraceReader

@Suite("A directory of recordings")
struct TraceDirectoryTests {
  let directory: TemporaryDirectory
  static let other = ProcessID(pid: 4322, namespace: 99, start: 77_100, key: 0xffff_0000_ffff_0001)

  init() throws { directory = try TemporaryDirectory() }

  @Test("that is empty gives no traces and no problems")
  func empty() throws {
    let reading = try directory.read()
    #expect(reading.traces.isEmpty)
    #expect(reading.problems.isEmpty)
  }

  @Test("gives one process's first calls over all its images in order of sequence")
  func oneProcess() throws {
    var process = FileBytes.process()
    process[4036, as: UInt32.self] = 4  // images
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
}
