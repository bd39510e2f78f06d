import FirstlightModel
import Testing
import TraceReader

@Suite("A damaged segment still gives")
struct SegmentDamageTests {
  static let records = (0..<8).map {
    Record(guardNumber: 8 - $0, time: 2_000 + UInt64($0), sequence: $0)
  }

  @Test("the whole records before its end", arguments: 4096...(4096 + 8 * 24 - 1))
  func truncated(size: Int) throws {
    var file = FileBytes.segment(records: Self.records)
    file.resize(size)
    let segment = try file.parsedAsSegment()
    let whole = (size - 4096) / 24
    #expect(segment.firstCalls.map(\.sequence) == (0..<UInt32(whole)).map { $0 })
    #expect(segment.uncommitted == 0)
    #expect(segment.damaged == 8 - whole)
    #expect(
      segment.problem?.problem
        == "a.segment: offset \(size): file ends after \(whole) whole records, expected room for 8; "
        + "\(8 - whole) of 8 written ones are lost")
  }

  @Test("all records if only unused slots were cut off, and says so")
  func truncatedUnused() throws {
    var file = FileBytes.segment(records: Array(Self.records.prefix(2)))
    file.resize(FileBytes.record(2))
    let segment = try file.parsedAsSegment()
    #expect(segment.firstCalls.count == 2)
    #expect(segment.damaged == 0)
    #expect(segment.problem?.problem.contains("0 of 2 written ones are lost") == true)
  }

  static let wrong: [WrongField] = [
    WrongField("guard beyond capacity", at: 0, "guard is 9, expected at most 8") {
      $0[FileBytes.record(3), as: UInt32.self] = 9
    },
    WrongField("guard huge", at: 0, "guard is 4294967295, expected at most 8") {
      $0[FileBytes.record(3), as: UInt32.self] = .max
    },
    WrongField("guard of another record", at: 0, "guard 8 occurs twice, expected once") {
      $0[FileBytes.record(3), as: UInt32.self] = 8
    },
    WrongField("time before the segment", at: 8, "time is 999 ns, expected 1000 to") {
      $0[FileBytes.record(3) + 8, as: UInt64.self] = 999
    },
    WrongField("time beyond all clocks", at: 8, "time is 9223372036854775808 ns") {
      $0[FileBytes.record(3) + 8, as: UInt64.self] = 1 << 63
    },
    WrongField("caller behind the image", at: 20, "caller is 1048576, expected less than") {
      $0[FileBytes.record(3) + 20, as: UInt32.self] = 0x10_0000
    },
  ]

  @Test("every other record if one is impossible", arguments: wrong)
  func oneRecord(wrong: WrongField) throws {
    var file = FileBytes.segment(records: Self.records)
    wrong.change(&file)
    let segment = try file.parsedAsSegment()
    #expect(segment.firstCalls.map(\.sequence) == [0, 1, 2, 4, 5, 6, 7])
    #expect(segment.damaged == 1)
    let offset = FileBytes.record(3) + wrong.offset
    #expect(
      segment.problem?.problem
        == "a.segment: offset \(offset): \(wrong.expected)"
        + (segment.problem?.problem.dropFirst(
          "a.segment: offset \(offset): \(wrong.expected)".count) ?? ""))
    #expect(segment.problem?.problem.hasSuffix("1 damaged records left out") == true)
  }

  @Test("every record if its count is beyond its capacity", arguments: [9, UInt32.max])
  func countBeyondCapacity(count: UInt32) throws {
    var file = FileBytes.segment(records: Self.records)
    file[4032, as: UInt32.self] = count
    let segment = try file.parsedAsSegment()
    #expect(segment.firstCalls.count == 8)
    #expect(segment.uncommitted == 0)
    #expect(
      segment.problem?.problem
        == "a.segment: offset 4032: count is \(count), expected at most 8")
  }

  @Test("every record if more follows the last slot")
  func tooLong() throws {
    var file = FileBytes.segment(records: Self.records)
    file.resize(FileBytes.record(8) + 1)
    let segment = try file.parsedAsSegment()
    #expect(segment.firstCalls.count == 8)
    #expect(
      segment.problem?.problem
        == "a.segment: offset 4288: data after the last record, expected the end of the file")
  }

  @Test("a huge declared capacity costs a small file nothing")
  func hugeCapacity() throws {
    var file = FileBytes.segment(records: Self.records)
    file[20, as: UInt32.self] = 1 << 26  // capacity
    file[80, as: UInt64.self] = 1 << 40  // image_size
    file[4032, as: UInt32.self] = .max  // count
    file[FileBytes.record(7), as: UInt32.self] = 8  // the guard of slot 0
    let segment = try file.parsedAsSegment()
    #expect(segment.firstCalls.count == 7)
    #expect(segment.damaged == 1 + (1 << 26) - 8)
    #expect(segment.firstCalls.capacity < 64)
  }
}
