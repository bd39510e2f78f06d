import FirstlightModel
import Foundation
import Testing
import TraceReader

/// The files in Tests/Fixtures/segments: seeds for Scripts/fuzz, and what it found.
///
/// Those listed here are made from the writer of these tests: run the tests with
/// FIRSTLIGHT_WRITE_FIXTURES=1 to make them anew.
@Suite("The fixtures of segments")
struct FixtureTests {
  private static let directory =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/segments")

  private static let records = (0..<8).map {
    Record(guardNumber: $0 + 1, time: 2_000 + UInt64($0), sequence: 7 - $0)
  }

  private static func changed(_ file: FileBytes, _ change: (inout FileBytes) -> Void) -> FileBytes {
    var file = file
    change(&file)
    return file
  }

  static let made: [String: FileBytes] = [
    "sound.segment": .segment(records: records),
    "sound.process": .process(),
    "sound.counters": .counters([[1], [0, 5], [7, 0, 0]]),
    "older.counters": .counters([[0], [3]], version: 8, padding: 8, reversed: true),
    "sound.marks": .marks([
      Mark(name: "config loaded"), Mark(kind: 2, time: 3_000, duration: 40, name: "tls"),
    ]),
    "forked.process": .process(
      forkedFrom: (ProcessID(pid: 4000, namespace: 99, start: 76_000, key: 0xdef), 42)),
    "cut-off-in-header.segment": changed(.segment()) { $0.resize(1000) },
    "cut-off-in-record.segment": changed(.segment(records: records)) {
      $0.resize(FileBytes.record(5) + 11)
    },
    "newer-version.segment": changed(.segment()) { $0[8, as: UInt32.self] = 2 },
    "huge-capacity.segment": changed(.segment(records: records)) {
      $0[20, as: UInt32.self] = 1 << 26  // capacity
      $0[80, as: UInt64.self] = 1 << 40  // image_size
      $0[4032, as: UInt32.self] = .max  // count
    },
    "damaged-records.segment": changed(.segment(records: records)) {
      $0[FileBytes.record(1), as: UInt32.self] = 9
      $0[FileBytes.record(2), as: UInt32.self] = 1
      $0[FileBytes.record(3) + 8, as: UInt64.self] = 0
      $0[FileBytes.record(4) + 20, as: UInt32.self] = .max
      $0[FileBytes.record(5), as: UInt32.self] = 0
    },
    "ready.process": changed(.process(arguments: ["", "a"])) {
      $0[4036, as: UInt32.self] = 3  // images
      $0[4040, as: UInt32.self] = 1  // lost_images
      $0[4048, as: UInt64.self] = 5_000  // ready
    },
  ]

  @Test("are what the tests' writer makes", arguments: made.keys.sorted())
  func asMade(name: String) throws {
    let file = Self.directory.appendingPathComponent(name)
    let bytes = try #require(Self.made[name]).bytes
    if ProcessInfo.processInfo.environment["FIRSTLIGHT_WRITE_FIXTURES"] != nil {
      try Data(bytes).write(to: file)
    }
    #expect(try Data(contentsOf: file) == Data(bytes))
  }

  @Test("are each refused or read, by one of the readers")
  func all() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
    #expect(names.count >= Self.made.count)
    var refused: [String] = []
    for name in names {
      let path = Self.directory.appendingPathComponent(name).path
      let isSegment = (try? SegmentFile.read(path: path)) != nil
      let isProcess = (try? ProcessFile.read(path: path)) != nil
      let isMarks = (try? MarksFile.read(path: path)) != nil
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      let isCounters = (try? FileBytes(bytes: Array(bytes)).parsedAsCounters()) != nil
      let kinds = [isSegment, isProcess, isMarks, isCounters].count { $0 }
      #expect(kinds <= 1)
      #expect(isCounters == name.hasSuffix(".counters"))
      if kinds == 0 { refused.append(name) }
    }
    #expect(refused.contains("cut-off-in-header.segment"))
    #expect(refused.contains("newer-version.segment"))
    #expect(!refused.contains("huge-capacity.segment"))
  }

  @Test("of damaged records give the sound ones")
  func damagedRecords() throws {
    let path = Self.directory.appendingPathComponent("damaged-records.segment").path
    let segment = try SegmentFile.read(path: path)
    #expect(segment.firstCalls.map(\.sequence) == [7, 1, 0])
    #expect(segment.damaged == 4)
    #expect(segment.uncommitted == 1)
    #expect(
      segment.problem?.problem
        == "\(path): offset \(FileBytes.record(1)): guard is 9, expected at most 8; "
        + "4 damaged records left out")
  }
}
