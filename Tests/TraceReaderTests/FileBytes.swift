import FirstlightModel
import TraceReader

/// Writes the runtime's files byte by byte, from the offsets in `firstlight_abi.h` and nothing of
/// the reader's.
struct FileBytes {
  var bytes: [UInt8]

  /// Stores an integer as the machine has it.
  subscript<Value: FixedWidthInteger>(offset: Int, as type: Value.Type) -> Value {
    get { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) } }
    set {
      bytes.withUnsafeMutableBytes {
        $0.storeBytes(of: newValue, toByteOffset: offset, as: Value.self)
      }
    }
  }

  mutating func set(_ offset: Int, _ text: some Sequence<UInt8>) {
    for (index, byte) in text.enumerated() { bytes[offset + index] = byte }
  }

  mutating func setProcess(_ offset: Int, _ process: ProcessID) {
    self[offset, as: UInt32.self] = process.pid
    self[offset + 4, as: UInt32.self] = process.namespace
    self[offset + 8, as: UInt64.self] = process.start
    self[offset + 16, as: UInt64.self] = process.key
  }

  mutating func resize(_ size: Int) {
    bytes = Array(bytes.prefix(size)) + Array(repeating: 0, count: max(0, size - bytes.count))
  }
}

/// One slot of a segment.
struct Record {
  var guardNumber: UInt32
  var thread: UInt32 = 7
  var time: UInt64 = 5_000
  var sequence: UInt32
  var caller: UInt32 = 0x1234
}

/// One slot of a marks file.
struct Mark {
  var kind: UInt32 = 1  // a moment; 2: a span
  var thread: UInt32 = 7
  var time: UInt64 = 5_000
  var duration: UInt64 = 0
  var name: String
}

let someProcess = ProcessID(pid: 4321, namespace: 99, start: 77_000, key: 0xabc)

extension FileBytes {
  /// Where the record in slot `slot` starts.
  static func record(_ slot: Int) -> Int { 4096 + slot * 24 }

  /// A sound segment with as many slots handed out as there are records.
  static func segment(
    process: ProcessID = someProcess, path: String = "/usr/bin/example", capacity: UInt32 = 8,
    monotonic: UInt64 = 1_000, records: [Record] = []
  ) -> FileBytes {
    var file = FileBytes(bytes: Array(repeating: 0, count: record(Int(capacity))))
    file.set(0, "FLSEGMNT".utf8)
    file[8, as: UInt32.self] = 1  // version
    file[12, as: UInt32.self] = 4096  // header_size
    file[16, as: UInt32.self] = 24  // record_size
    file[20, as: UInt32.self] = capacity
    file.setProcess(24, process)
    file[48, as: UInt64.self] = monotonic
    file[56, as: UInt64.self] = 1_700_000_000_000_000_000  // realtime
    file[64, as: UInt64.self] = 0x5555_5555_0000  // load_bias
    file[72, as: UInt64.self] = 0x40_0000  // image_start
    file[80, as: UInt64.self] = 0x10_0000  // image_size
    file[88, as: UInt64.self] = 0x48_0000  // guards_start
    file[108, as: UInt32.self] = 20  // build_id_size
    file.set(112, 1...20)
    file[176, as: UInt32.self] = UInt32(path.utf8.count)
    file.set(184, path.utf8)
    file[4032, as: UInt32.self] = UInt32(records.count)
    for (slot, record) in records.enumerated() { file.setRecord(slot, record) }
    return file
  }

  mutating func setRecord(_ slot: Int, _ record: Record) {
    let start = Self.record(slot)
    self[start, as: UInt32.self] = record.guardNumber
    self[start + 4, as: UInt32.self] = record.thread
    self[start + 8, as: UInt64.self] = record.time
    self[start + 16, as: UInt32.self] = record.sequence
    self[start + 20, as: UInt32.self] = record.caller
  }

  /// A sound process file.
  static func process(
    _ process: ProcessID = someProcess, path: String = "/usr/bin/example",
    arguments: [String] = ["example", "--fast"], monotonic: UInt64 = 900,
    forkedFrom: (process: ProcessID, sequence: UInt32)? = nil
  ) -> FileBytes {
    var file = FileBytes(bytes: Array(repeating: 0, count: 4096))
    let command = Array(arguments.map { $0 + "\0" }.joined().utf8)
    file.set(0, "FLPROCES".utf8)
    file[8, as: UInt32.self] = 1  // version
    file[12, as: UInt32.self] = 4096  // header_size
    file.setProcess(16, process)
    file[40, as: UInt32.self] = 1234  // parent_pid
    file[44, as: UInt32.self] = 1000  // user
    file[48, as: UInt64.self] = monotonic
    file[56, as: UInt64.self] = 1_700_000_000_000_000_000  // realtime
    if let forkedFrom {
      file.setProcess(64, forkedFrom.process)
      file[88, as: UInt32.self] = forkedFrom.sequence
    }
    file[92, as: UInt32.self] = UInt32(path.utf8.count)
    file[100, as: UInt32.self] = UInt32(command.count)
    file.set(112, path.utf8)
    file.set(2160, command)
    return file
  }

  /// A sound marks file with as many slots and as much text as there are marks and names.
  static func marks(
    _ marks: [Mark], process: ProcessID = someProcess, monotonic: UInt64 = 1_000
  ) -> FileBytes {
    var file = FileBytes(bytes: Array(repeating: 0, count: 4096 + marks.count * 32))
    file.set(0, "FLPMARKS".utf8)
    file[8, as: UInt32.self] = 1  // version
    file[12, as: UInt32.self] = 4096  // header_size
    file[16, as: UInt32.self] = 32  // mark_size
    file[20, as: UInt32.self] = UInt32(marks.count)  // capacity
    file.setProcess(32, process)
    file[56, as: UInt64.self] = monotonic
    for (slot, mark) in marks.enumerated() {
      let start = Self.mark(slot)
      file[start, as: UInt32.self] = mark.kind
      file[start + 4, as: UInt32.self] = mark.thread
      file[start + 8, as: UInt64.self] = mark.time
      file[start + 16, as: UInt64.self] = mark.duration
      file[start + 24, as: UInt32.self] = UInt32(file.bytes.count - Self.mark(marks.count))
      file[start + 28, as: UInt32.self] = UInt32(mark.name.utf8.count)
      file.bytes += mark.name.utf8
    }
    let text = file.bytes.count - Self.mark(marks.count)
    file[24, as: UInt32.self] = UInt32(text)  // text_size
    file[4032, as: UInt32.self] = UInt32(text)  // used
    file[4036, as: UInt32.self] = UInt32(marks.count)
    return file
  }

  /// Where a marks file's slot starts.
  static func mark(_ slot: Int) -> Int { 4096 + slot * 32 }

  func parsedAsMarks() throws -> MarksPage {
    try bytes.withUnsafeBytes { try MarksFile.parse($0, name: "a.marks") }
  }

  func parsedAsSegment() throws -> Segment {
    try bytes.withUnsafeBytes { try SegmentFile.parse($0, name: "a.segment") }
  }

  func parsedAsProcess() throws -> ProcessPage {
    try bytes.withUnsafeBytes { try ProcessFile.parse($0, name: "a.process") }
  }
}

extension CalledGuards {
  var guards: Set<UInt32> {
    var guards = Set(listed)
    for (index, word) in words.enumerated() {
      for bit in 0..<64 where word & (1 << UInt64(bit)) != 0 {
        guards.insert(UInt32(index * 64 + bit))
      }
    }
    return guards
  }
}
