import FirstlightModel
import Foundation
import Testing
import TraceReader

/// What a stranger's files cost who reads them.
@Suite("Reading what a process left, within limits")
struct ReadLimitTests {
  let directory: SegmentDirectory
  private static let slots = 1 << 26

  init() throws {
    directory = try SegmentDirectory()
    try directory.write(process: .process())
  }

  /// A segment that says that all of its 2^26 slots were taken, and is a hole but for a few.
  private func writeSparse(_ number: Int, records: [Int: Record]) throws {
    var file = FileBytes.segment()
    file[20, as: UInt32.self] = UInt32(Self.slots)
    file[80, as: UInt64.self] = 1 << 40  // image_size
    file[4032, as: UInt32.self] = UInt32(Self.slots)
    file.resize(4096)
    try directory.write(segment: file, number)
    let path = "\(directory.path)/\(someProcess)-\(number).segment"
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: UInt64(FileBytes.record(Self.slots)))
    for (slot, record) in records {
      var bytes = FileBytes(bytes: Array(repeating: 0, count: 4096 + 24))
      bytes.setRecord(0, record)
      try handle.seek(toOffset: UInt64(FileBytes.record(slot)))
      try handle.write(contentsOf: bytes.bytes[4096...])
    }
    try handle.close()
  }

  private func readEnded(_ limits: ReadLimits, keepsCalls: Bool = false) throws -> EndedProcess {
    let reader = try TraceDirectory(path: directory.path)
    let entry = try #require(try reader.entries().first)
    return try reader.readEnded(entry, keepsCalls: keepsCalls, limits: limits)
  }

  @Test("holes are passed over, and what lies behind them is found", arguments: [true, false])
  func holes(keepsCalls: Bool) throws {
    try writeSparse(
      0,
      records: [
        0: Record(guardNumber: 5, time: 5_000, sequence: 0),
        40_000_000: Record(guardNumber: 67_108_864, time: 7_000, sequence: 1),
        67_108_863: Record(guardNumber: 1, time: 6_000, sequence: 2),
      ])
    let ended = try readEnded(.none, keepsCalls: keepsCalls)
    #expect(ended.called.map(\.guards) == [[0, 4, 67_108_863]])
    #expect(ended.called.map(\.times) == [5_000...7_000])
    #expect(ended.trace?.losses.uncommitted == Self.slots - 3)
    // Not a bit for each guard.
    #expect(ended.called[0].words.isEmpty)
    if keepsCalls { #expect(ended.trace?.firstCalls.map(\.guardIndex) == [4, 67_108_863, 0]) }
  }

  @Test("a process beyond a limit has no trace, and the reason is told")
  func limits() throws {
    for number in 0..<3 {
      let records = (0..<8).map {
        Record(guardNumber: $0 + 1, sequence: UInt32(number) * 8 + $0)
      }
      try directory.write(segment: .segment(records: records), number)
    }
    #expect(try readEnded(ReadLimits(segments: 3, firstCalls: 24, readsMarks: true)).trace != nil)
    let many = try readEnded(ReadLimits(segments: 2, firstCalls: 24, readsMarks: true))
    #expect(many.trace == nil && many.called.isEmpty)
    #expect(
      many.problems.map(\.problem).last?.hasSuffix("has 3 segments, at most 2 are read") == true)
    let large = try readEnded(ReadLimits(segments: 3, firstCalls: 23, readsMarks: true))
    #expect(large.trace == nil)
    #expect(large.problems.map(\.problem).last?.hasSuffix("has more than 23 first calls") == true)
  }

  @Test("files that a recorder has not finished are told by their names")
  func unfinished() throws {
    let stem = "\(someProcess)"
    for name in [".\(stem)-0-77", ".\(stem)-0", ".\(stem)-0-7x", ".x-0-77", "\(stem)-0-77"] {
      try directory.write(.process(), name)
    }
    let unfinished = try TraceDirectory(path: directory.path).unfinished()
    #expect(unfinished.map(\.name) == [".\(stem)-0-77"])
    #expect(unfinished.map(\.process.pid) == [someProcess.pid])
  }
}
