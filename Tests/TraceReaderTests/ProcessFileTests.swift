import FirstlightModel
import Testing
import TraceReader

@Suite("A process file")
struct ProcessFileTests {
  @Test("gives what the process is")
  func sound() throws {
    var file = FileBytes.process()
    file[4032, as: UInt32.self] = 55  // sequence
    file[4036, as: UInt32.self] = 4  // images
    file[4040, as: UInt32.self] = 2  // lost_images
    file[4044, as: UInt32.self] = 28  // lost_error
    file[4048, as: UInt64.self] = 5_000  // ready
    let process = try file.parsedAsProcess()
    #expect(process.process == someProcess)
    #expect(process.parentPID == 1234)
    #expect(process.user == 1000)
    #expect(process.clockBase == (900, 1_700_000_000_000_000_000))
    #expect(process.forkedFrom == nil)
    #expect(process.path == "/usr/bin/example")
    #expect(process.arguments == ["example", "--fast"])
    #expect(process.firstCallCount == 55)
    #expect(process.imageCount == 4)
    #expect(process.lostImages == 2)
    #expect(process.lastError == 28)
    #expect(process.ready == 5_000)
    #expect(process.problem == nil)
  }

  @Test("tells what was not said on standard error")
  func notices() throws {
    var file = FileBytes.process()
    #expect(try file.parsedAsProcess().notices.isEmpty)
    file[4064, as: UInt32.self] = 1 | 16 | 1 << 31  // notices: fork, confined, one to come
    file[4068, as: UInt32.self] = 24  // notice_error
    let texts = try file.parsedAsProcess().notices.map(\.problem)
    #expect(texts.count == 2)
    #expect(texts[0].hasSuffix("a forked process could not be recorded: Too many open files"))
    #expect(texts[1].contains("a forked process was not recorded"))
  }

  @Test("that is not ready yet has no such moment")
  func notReady() throws {
    #expect(try FileBytes.process().parsedAsProcess().ready == nil)
  }

  @Test("keeps empty arguments and knows no arguments from an empty one")
  func emptyArguments() throws {
    #expect(
      try FileBytes.process(arguments: ["", "a", ""]).parsedAsProcess().arguments == ["", "a", ""])
    #expect(try FileBytes.process(arguments: [""]).parsedAsProcess().arguments == [""])
    #expect(try FileBytes.process(arguments: []).parsedAsProcess().arguments == [])
  }

  @Test("keeps the argument that was cut off")
  func truncatedArguments() throws {
    var file = FileBytes.process()
    file[100, as: UInt32.self] -= 3  // command_size
    file[104, as: UInt32.self] = 1  // command_truncated
    let process = try file.parsedAsProcess()
    #expect(process.arguments == ["example", "--fa"])
    #expect(process.areArgumentsTruncated)
  }

  @Test("names the process it was forked from")
  func forked() throws {
    let parent = ProcessID(pid: 4000, namespace: 99, start: 76_000, key: 0xdef)
    let process = try FileBytes.process(forkedFrom: (parent, 42)).parsedAsProcess()
    #expect(process.forkedFrom?.process == parent)
    #expect(process.forkedFrom?.sequence == 42)
  }

  @Test("never has lost more images than it has")
  func lostImages() throws {
    var file = FileBytes.process()
    file[4036, as: UInt32.self] = 1  // images
    file[4040, as: UInt32.self] = .max  // lost_images
    #expect(try file.parsedAsProcess().lostImages == 1)
  }

  @Test("loses only an impossible moment of being ready", arguments: [899, UInt64(1) << 63])
  func impossibleReady(ready: UInt64) throws {
    var file = FileBytes.process()
    file[4048, as: UInt64.self] = ready
    let process = try file.parsedAsProcess()
    #expect(process.ready == nil)
    #expect(process.path == "/usr/bin/example")
    #expect(process.problem?.problem.hasPrefix("a.process: offset 4048: ready at \(ready)") == true)
  }

  static let wrong: [WrongField] = [
    .value("magic", at: 0, UInt64(1), "is not a process file"),
    .value("version", at: 8, UInt32(9), "version 9, this reader knows version 1"),
    .value("header size", at: 12, UInt32(0), "expected 4096"),
    .value("pid", at: 16, UInt32(0), "process id is 0"),
    .value("monotonic", at: 48, UInt64.max, "expected at most 9223372036854775807"),
    .value("realtime", at: 56, UInt64(1) << 63, "expected at most 9223372036854775807"),
    WrongField("forked from itself", at: 64, "was forked from itself") {
      $0.setProcess(64, someProcess)
    },
    WrongField("forked from a later process", at: 72, "started at tick 77001") {
      $0.setProcess(64, ProcessID(pid: 1, namespace: 0, start: 77_001, key: 0))
    },
    .value("path size", at: 92, UInt32(2049), "expected at most 2048"),
    .value("path truncated", at: 96, UInt32.max, "expected 0 or 1"),
    .value("command size", at: 100, UInt32(1025), "expected at most 1024"),
    .value("command without NUL", at: 100, UInt32(3), "does not end with NUL"),
    .value("command truncated", at: 104, UInt32(2), "expected 0 or 1"),
    WrongField("NUL in path", at: 113, "NUL") { $0.bytes[113] = 0 },
  ]

  @Test("is refused for one wrong field, by file and offset", arguments: wrong)
  func oneField(wrong: WrongField) {
    var file = FileBytes.process()
    wrong.change(&file)
    let failure = #expect(throws: Failure.self) { try file.parsedAsProcess() }
    #expect(failure?.kind == .data)
    #expect(
      failure?.problem.hasPrefix("a.process: offset \(wrong.offset): ") == true, "\(failure as Any)"
    )
    #expect(failure?.problem.contains(wrong.expected) == true, "\(failure as Any)")
  }

  @Test("is refused if it ends early", arguments: [0, 8, 111, 2160, 4032, 4095])
  func short(size: Int) {
    var file = FileBytes.process()
    file.resize(size)
    let failure = #expect(throws: Failure.self) { try file.parsedAsProcess() }
    #expect(
      failure?.problem
        == "a.process: offset \(size): file ends within its header, expected 4096 bytes of it")
  }
}
