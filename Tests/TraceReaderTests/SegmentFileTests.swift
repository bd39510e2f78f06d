import FirstlightModel
import Testing
import TraceReader

@Suite("A sound segment")
struct SoundSegmentTests {
  @Test("gives its header")
  func header() throws {
    var file = FileBytes.segment()
    file[4036, as: UInt32.self] = 3  // drops
    let segment = try file.parsedAsSegment()
    #expect(segment.process == someProcess)
    #expect(segment.clockBase == (1_000, 1_700_000_000_000_000_000))
    #expect(segment.imageStart == 0x40_0000)
    #expect(segment.imageSize == 0x10_0000)
    #expect(
      segment.image
        == Image(
          buildID: BuildID("0102030405060708090a0b0c0d0e0f1011121314"), path: "/usr/bin/example",
          loadBias: 0x5555_5555_0000, guardCount: 8, guardsStart: 0x48_0000,
          drops: 3))
    #expect(segment.problem == nil)
  }

  @Test("gives its first calls, with callers as link-time addresses")
  func firstCalls() throws {
    let segment = try FileBytes.segment(records: [
      Record(guardNumber: 5, thread: 10, time: 1_000, sequence: 0, caller: 0),
      Record(guardNumber: 8, thread: 11, time: 1_001, sequence: 3, caller: 0xf_ffff),
    ]).parsedAsSegment()
    #expect(
      segment.firstCalls == [
        FirstCall(
          image: 0, guardIndex: 4, thread: 10, sequence: 0, time: 1_000, caller: 0x40_0000),
        FirstCall(
          image: 0, guardIndex: 7, thread: 11, sequence: 3, time: 1_001, caller: 0x4f_ffff),
      ])
  }

  @Test("tells what recorded it")
  func recorder() throws {
    var file = FileBytes.segment()
    #expect(try file.parsedAsSegment().image.recorder == .guards)
    file[2232, as: UInt32.self] = 1  // recorder
    #expect(try file.parsedAsSegment().image.recorder == .entryHooks)
    file[2232, as: UInt32.self] = 2
    #expect(try file.parsedAsSegment().image.recorder == .breakpoints)
    file[2232, as: UInt32.self] = 3
    let failure = #expect(throws: Failure.self) { try file.parsedAsSegment() }
    #expect(failure?.problem.contains("offset 2232: recorder is 3, expected 0 to 2") == true)
  }

  @Test("may be without build id and path")
  func leastHeader() throws {
    var file = FileBytes.segment(path: "")
    file[108, as: UInt32.self] = 0  // build_id_size
    let segment = try file.parsedAsSegment()
    #expect(segment.image.buildID == nil)
    #expect(segment.image.path.isEmpty)
  }

  @Test("may fill every array to its end")
  func fullArrays() throws {
    var file = FileBytes.segment(path: String(repeating: "p", count: 2048))
    file[108, as: UInt32.self] = 64  // build_id_size
    file[180, as: UInt32.self] = 1  // path_truncated
    let segment = try file.parsedAsSegment()
    #expect(segment.image.path.utf8.count == 2048)
    #expect(segment.image.buildID?.description.count == 128)
    #expect(segment.isPathTruncated)
  }

  @Test("may have an image at negative load bias")
  func negativeLoadBias() throws {
    var file = FileBytes.segment()
    file[64, as: UInt64.self] = 0 &- 0x30_0000
    #expect(try file.parsedAsSegment().image.loadBias == 0 &- 0x30_0000)
  }

  @Test("counts slots that were handed out and not committed")
  func uncommitted() throws {
    var file = FileBytes.segment(records: [
      Record(guardNumber: 1, sequence: 0), Record(guardNumber: 0, sequence: 0),
      Record(guardNumber: 3, sequence: 2),
    ])
    file[4032, as: UInt32.self] = 5  // count
    let segment = try file.parsedAsSegment()
    #expect(segment.firstCalls.map(\.guardIndex) == [0, 2])
    #expect(segment.uncommitted == 3)
    #expect(segment.damaged == 0)
    #expect(segment.problem == nil)
  }

  @Test("is not read beyond its count")
  func beyondCount() throws {
    var file = FileBytes.segment(records: [Record(guardNumber: 1, sequence: 0)])
    file.setRecord(1, Record(guardNumber: 2, sequence: 1))
    #expect(try file.parsedAsSegment().firstCalls.map(\.guardIndex) == [0])
  }

  @Test("may lie at any address in memory", arguments: 0..<8)
  func unaligned(shift: Int) throws {
    let file = FileBytes.segment(records: [Record(guardNumber: 6, sequence: 9)])
    let shifted = Array(repeating: UInt8(0xff), count: shift) + file.bytes
    let segment = try shifted.withUnsafeBytes {
      try SegmentFile.parse(UnsafeRawBufferPointer(rebasing: $0[shift...]), name: "a.segment")
    }
    #expect(segment.firstCalls.map(\.sequence) == [9])
  }
}

/// One field made wrong: what the reader must refuse, and where it must point.
struct WrongField: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let offset: Int
  let expected: String
  let change: @Sendable (inout FileBytes) -> Void

  init(
    _ description: String, at offset: Int, _ expected: String,
    _ change: @escaping @Sendable (inout FileBytes) -> Void
  ) {
    testDescription = description
    self.offset = offset
    self.expected = expected
    self.change = change
  }

  static func value<Value: FixedWidthInteger & Sendable>(
    _ name: String, at offset: Int, _ value: Value, _ expected: String
  ) -> WrongField {
    WrongField("\(name) \(value)", at: offset, expected) { $0[offset, as: Value.self] = value }
  }
}

@Suite("A segment header is refused, by file and offset,")
struct WrongSegmentHeaderTests {
  static let wrong: [WrongField] = [
    .value("magic", at: 0, UInt64(0), "is not a segment"),
    WrongField("magic of a process file", at: 0, "is not a segment") {
      $0.set(0, "FLPROCES".utf8)
    },
    .value("version", at: 8, UInt32(2), "version 2, this reader knows version 1"),
    .value("version", at: 8, UInt32(0), "version 0, this reader knows version 1"),
    .value("header size", at: 12, UInt32(4095), "expected 4096"),
    .value("header size", at: 12, UInt32.max, "expected 4096"),
    .value("record size", at: 16, UInt32(0), "expected 24"),
    .value("record size", at: 16, UInt32(32), "expected 24"),
    .value("capacity", at: 20, UInt32(0), "expected 1 to 67108864"),
    .value("capacity", at: 20, UInt32.max, "expected 1 to 67108864"),
    .value("pid", at: 24, UInt32(0), "process id is 0"),
    .value("monotonic", at: 48, UInt64(1) << 63, "expected at most 9223372036854775807"),
    .value("realtime", at: 56, UInt64.max, "expected at most 9223372036854775807"),
    .value("load bias", at: 64, UInt64.max - 0x4f_ffff, "ends beyond the address space"),
    .value("image start", at: 72, UInt64.max - 0xf_fffe, "ends beyond the address space"),
    .value("image size", at: 80, UInt64(0), "expected 1 to"),
    .value("image size", at: 80, UInt64.max, "expected 1 to"),
    .value("guards before image", at: 88, UInt64(0x3f_ffff), "8 guards at 0x3fffff"),
    .value("guards beyond image", at: 88, UInt64(0x50_0000), "8 guards at 0x500000"),
    .value("guards across end", at: 88, UInt64(0x4f_ffe1), "8 guards at 0x4fffe1"),
    .value("build id size", at: 108, UInt32(65), "expected at most 64"),
    .value("build id size", at: 108, UInt32.max, "expected at most 64"),
    .value("path size", at: 176, UInt32(2049), "expected at most 2048"),
    .value("path size", at: 176, UInt32.max, "expected at most 2048"),
    .value("path truncated", at: 180, UInt32(2), "expected 0 or 1"),
    WrongField("NUL in path", at: 187, "NUL") { $0.bytes[187] = 0 },
    WrongField("NUL at path's end", at: 184 + 16, "NUL") { $0[176, as: UInt32.self] = 17 },
  ]

  @Test("for one wrong field", arguments: wrong)
  func oneField(wrong: WrongField) {
    var file = FileBytes.segment(records: [Record(guardNumber: 1, sequence: 0)])
    wrong.change(&file)
    let failure = #expect(throws: Failure.self) { try file.parsedAsSegment() }
    #expect(failure?.kind == .data)
    #expect(
      failure?.problem.hasPrefix("a.segment: offset \(wrong.offset): ") == true, "\(failure as Any)"
    )
    #expect(failure?.problem.contains(wrong.expected) == true, "\(failure as Any)")
  }

  @Test("that ends early", arguments: [0, 1, 7, 8, 23, 183, 4031, 4032, 4095])
  func shortHeader(size: Int) {
    var file = FileBytes.segment()
    file.resize(size)
    let failure = #expect(throws: Failure.self) { try file.parsedAsSegment() }
    #expect(
      failure?.problem
        == "a.segment: offset \(size): file ends within its header, expected 4096 bytes of it")
  }
}
