import FirstlightABI
import FirstlightModel
import Synchronization
import SystemSupport

/// Reads marks files: the marks that a process set.
///
/// The layout is that of `firstlight_abi.h`. A file whose header contradicts itself is refused as a
/// whole; an impossible slot is skipped and counted. The file may be written meanwhile.
package enum MarksFile {
  private static let slotSize = MemoryLayout<fl_mark>.stride

  /// Reads a marks file.
  /// - Parameter path: The file. Not followed if it is a symbolic link.
  /// - Throws: `.noInput` if the file cannot be opened or is not regular, `.inputOutput` if reading
  ///   fails, `.data` if it is no marks file; each names the file, and the offset where there is one.
  package static func read(path: String) throws(Failure) -> MarksPage {
    try read(RegularFile(path: path, followsLinks: false))
  }

  /// Reads a marks file from memory.
  /// - Parameters:
  ///   - bytes: The file's contents; not kept. Need not be aligned.
  ///   - name: the file's name in messages.
  /// - Throws: `.data` if the contents are no marks file, naming `name` and the offset.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, name: String
  ) throws(Failure) -> MarksPage {
    let header = try MarksHeader(HeaderPage(bytes, name: name))
    let rest = UnsafeRawBufferPointer(rebasing: bytes[Int(FL_HEADER_SIZE)...])
    let slots = UnsafeRawBufferPointer(rebasing: rest.prefix(header.slotBytes))
    let text = UnsafeRawBufferPointer(rebasing: rest.dropFirst(header.slotBytes))
    return page(header, kinds: slots, fields: slots, text: text, name: name)
  }

  static func read(_ file: borrowing RegularFile) throws(Failure) -> MarksPage {
    // The order matters: the header with its counts, the slots' kinds for their commitment, and
    // then the slots' data, which was written before.
    let head = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(FL_HEADER_SIZE), alignment: 16)
    defer { head.deallocate() }
    let headSize = try file.read(into: head, at: 0)
    let header = try MarksHeader(
      HeaderPage(UnsafeRawBufferPointer(rebasing: head[..<headSize]), name: file.name))
    let size = min(
      max(0, try file.size() - Int(FL_HEADER_SIZE)), header.slotBytes + header.textSize)
    let kinds = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(size, header.slotBytes), alignment: 16)
    defer { kinds.deallocate() }
    let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { rest.deallocate() }
    let kindSize = try file.read(into: kinds, at: Int(FL_HEADER_SIZE))
    // The second copy must be later than the first on every processor.
    atomicMemoryFence(ordering: .acquiring)
    let restSize = try file.read(into: rest, at: Int(FL_HEADER_SIZE))
    let all = UnsafeRawBufferPointer(rebasing: rest[..<restSize])
    return page(
      header, kinds: UnsafeRawBufferPointer(rebasing: kinds[..<kindSize]),
      fields: UnsafeRawBufferPointer(rebasing: all.prefix(header.slotBytes)),
      text: UnsafeRawBufferPointer(rebasing: all.dropFirst(header.slotBytes)), name: file.name)
  }

  private static func page(
    _ header: MarksHeader, kinds: UnsafeRawBufferPointer, fields: UnsafeRawBufferPointer,
    text: UnsafeRawBufferPointer, name: String
  ) -> MarksPage {
    var marks: [ProgramMark] = []
    var damaged = 0
    let present = min(kinds.count, fields.count) / slotSize
    for slot in 0..<min(header.count, present) {
      let kind = kinds.loadUnaligned(fromByteOffset: slot * slotSize, as: UInt32.self)
      if kind == 0 { continue }
      let raw = fields.loadUnaligned(fromByteOffset: slot * slotSize, as: fl_mark.self)
      if let mark = mark(raw, kind: kind, since: header.monotonic, text: text) {
        marks.append(mark)
      } else {
        damaged += 1
      }
    }
    marks.sort { $0.time < $1.time }
    return MarksPage(
      process: header.process, marks: marks, drops: header.drops,
      problem: problem(header, damaged + max(0, header.count - present), name: name))
  }

  /// A slot's mark; nil if it is impossible.
  private static func mark(
    _ raw: fl_mark, kind: UInt32, since start: UInt64, text: UnsafeRawBufferPointer
  ) -> ProgramMark? {
    guard raw.time >= start, raw.time <= latestTime, raw.duration <= latestTime - raw.time,
      raw.name_size <= FL_MARK_NAME_MAX, Int(raw.name) + Int(raw.name_size) <= text.count
    else { return nil }
    let name = String(
      decoding: text[Int(raw.name)..<Int(raw.name) + Int(raw.name_size)], as: UTF8.self)
    switch kind {
    case FL_MARK_MOMENT where raw.duration == 0:
      return ProgramMark(name: name, thread: raw.thread, time: raw.time, kind: .mark)
    case FL_MARK_SPAN:
      return ProgramMark(
        name: name, thread: raw.thread, time: raw.time,
        kind: .span(duration: raw.duration == 0 ? nil : raw.duration))
    default: return nil
    }
  }

  private static func problem(_ header: MarksHeader, _ damaged: Int, name: String) -> Failure? {
    if damaged > 0 {
      return Failure(.data, "\(name): \(damaged) damaged marks left out")
    }
    guard header.drops > 0 else { return nil }
    return Failure(
      .data,
      "\(name): \(header.drops) marks are missing: there is room for \(header.capacity) of a "
        + "process, and for \(header.textSize) bytes of names")
  }
}

/// A marks file's header after all checks.
private struct MarksHeader {
  /// Maximum capacity of a file: over a hundred times the runtime's.
  private static let capacityLimit = 1 << 20
  private static let textLimit = 1 << 25

  /// Capacity: slots, and bytes of names.
  let capacity: Int
  let textSize: Int
  let process: ProcessID
  let monotonic: UInt64
  /// Reserved slots, at most `capacity`.
  let count: Int
  let drops: Int

  var slotBytes: Int { capacity * MemoryLayout<fl_mark>.stride }

  init(_ page: HeaderPage<fl_marks_header>) throws(Failure) {
    try page.requireFormat(
      magic: \.magic, is: FL_MARKS_MAGIC, called: "marks file", version: \.version,
      headerSize: \.header_size)
    try page.require(
      page.value(\.mark_size) == FL_MARK_SIZE, \.mark_size,
      "mark size is \(page.value(\.mark_size)), expected \(FL_MARK_SIZE)")
    capacity = Int(page.value(\.capacity))
    try page.require(
      capacity <= Self.capacityLimit, \.capacity,
      "capacity is \(capacity), expected at most \(Self.capacityLimit)")
    textSize = Int(page.value(\.text_size))
    try page.require(
      textSize <= Self.textLimit, \.text_size,
      "text size is \(textSize), expected at most \(Self.textLimit)")
    process = ProcessID(page.value(\.process))
    try page.require(process.pid != 0, \.process.pid, "process id is 0")
    monotonic = try page.time(\.monotonic, called: "monotonic clock")
    count = Int(min(page.value(\.used) >> 32, UInt64(capacity)))
    drops = Int(page.value(\.drops))
  }
}

/// The contents of one marks file.
package struct MarksPage: Sendable {
  /// The process that wrote it.
  package var process: ProcessID
  /// By time, which here is CLOCK_MONOTONIC in nanoseconds; times and ends of spans are at most 2^63 - 1.
  package var marks: [ProgramMark]
  /// Marks that were lost because the file was full.
  package var drops: Int
  /// The problem with a file that could be read only in part, or with its missing data; nil if
  /// there is none.
  package var problem: Failure?
}
