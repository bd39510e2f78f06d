import FirstlightModel
import Foundation
import Testing
import TraceReader

@Suite("A segment that is being written")
struct LiveSegmentTests {
  static let capacity = 20_000

  /// A record whose every field follows from its slot.
  private static func record(_ slot: Int) -> Record {
    let number = UInt32(slot)
    return Record(
      guardNumber: UInt32(capacity) - number, thread: number ^ 0x5555, time: 1_000 + UInt64(slot),
      sequence: number, caller: number * 4)
  }

  /// Writes as the runtime does: count, fields, and the guard last.
  private static func write(_ descriptor: CInt) {
    for slot in 0..<capacity {
      var count = UInt32(slot + 1)
      pwrite(descriptor, &count, 4, 4032)
      var file = FileBytes(bytes: Array(repeating: 0, count: FileBytes.record(1)))
      file.setRecord(0, record(slot))
      file.bytes.withUnsafeBytes { bytes in
        let start = FileBytes.record(0)
        _ = pwrite(
          descriptor, bytes.baseAddress! + start + 4, 20, off_t(FileBytes.record(slot) + 4))
        _ = pwrite(descriptor, bytes.baseAddress! + start, 4, off_t(FileBytes.record(slot)))
      }
    }
  }

  @Test("gives only whole records, and more of them each time")
  func reading() async throws {
    let directory = try SegmentDirectory()
    var file = FileBytes.segment(capacity: UInt32(Self.capacity))
    file[80, as: UInt64.self] = 1 << 30  // image_size
    try directory.write(process: .process())
    try directory.write(segment: file, 0)
    let path = "\(directory.path)/\(someProcess)-0.segment"
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }

    let writer = Thread { Self.write(descriptor) }
    writer.start()
    var last = 0
    while last < Self.capacity {
      let reading = try directory.read()
      try #require(reading.problems == [])
      let trace = try #require(reading.traces.first)
      try #require(trace.firstCalls.count >= last)
      try #require(trace.losses.uncommitted <= 1)
      last = trace.firstCalls.count
      for (slot, call) in trace.firstCalls.enumerated() {
        let written = Self.record(slot)
        try #require(
          call
            == FirstCall(
              image: 0, guardIndex: written.guardNumber - 1, thread: written.thread,
              sequence: written.sequence, time: written.time,
              caller: 0x40_0000 + UInt64(written.caller)))
      }
    }
  }

  @Test("may be cut short between two readings")
  func cutShort() throws {
    let directory = try SegmentDirectory()
    try directory.write(process: .process())
    try directory.write(
      segment: .segment(records: (0..<8).map { Record(guardNumber: $0 + 1, sequence: $0) }), 0)
    let path = "\(directory.path)/\(someProcess)-0.segment"
    for size in stride(from: 4096 + 8 * 24, through: 0, by: -40) {
      try #require(truncate(path, off_t(size)) == 0)
      let reading = try directory.read()
      let trace = try #require(reading.traces.first)
      #expect(trace.firstCalls.count == max(0, size - 4096) / 24)
      #expect(reading.problems.isEmpty == (size == 4096 + 8 * 24))
      #expect(trace.losses.unreadableSegments == (size < 4096 ? 1 : 0))
    }
  }
}
