import FirstlightABI
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// A file whose functions are watched.
struct WatchedImage {
  /// The path for people.
  var path: String
  /// Nil if it was linked without one.
  var buildID: BuildID?
  /// Link-time addresses of its functions, rising; not empty.
  var addresses: UnsafeBufferPointer<UInt64>
  /// See `ImageWatch.isSpare`.
  var isSpare: Bool
}

/// Writes the segment of one image in a watched process.
///
/// Only this process writes to it. A reader that sees a slot in `count` sees the whole slot.
struct SegmentWriter: ~Copyable {
  private var file: MappedRecord
  private let firstAddress: UInt64
  private var count: UInt32 = 0
  private var drops: UInt32 = 0

  /// - Parameters:
  ///   - clock: of this moment, nanoseconds.
  ///   - since: see `ImageWatch.since`.
  ///   - standsAlone: see `ImageWatch.standsAlone`.
  /// - Throws: `.cannotCreate`.
  init(
    _ image: WatchedImage, of process: ProcessID, number: Int, in folder: Int32, loadBias: UInt64,
    clock: (monotonic: UInt64, realtime: UInt64), since: UInt64, standsAlone: Bool
  ) throws(Failure) {
    let first = image.addresses.first ?? 0
    firstAddress = first
    var header = fl_segment_header()
    header.magic = FL_SEGMENT_MAGIC
    header.version = FL_ABI_VERSION
    header.header_size = FL_HEADER_SIZE
    header.record_size = FL_RECORD_SIZE
    header.capacity = UInt32(image.addresses.count)
    header.process = fl_process_id(process)
    (header.monotonic, header.realtime) = clock
    header.load_bias = loadBias
    header.image_start = first
    header.image_size = (image.addresses.last ?? 0) - first + 1
    header.recorder = FL_RECORDER_BREAKPOINTS
    header.is_spare = image.isSpare ? 1 : 0
    header.stands_alone = standsAlone ? 1 : 0
    header.watched_since = since
    header.build_id_size = ABIText.fill(&header.build_id, image.buildID?.bytes ?? []).size
    let path = ABIText.fill(&header.path, Array(image.path.utf8))
    (header.path_size, header.path_truncated) = (path.size, path.isCut ? 1 : 0)
    let name = "\(process)-\(number)"
    file = try withUnsafeBytes(of: header) { header throws(Failure) in
      try MappedRecord(
        in: folder, "\(name).segment", hidden: ".\(name)-0", header: header,
        size: 2 * Int(FL_HEADER_SIZE))
    }
  }

  /// Records a function's first call, or counts it as lost.
  ///
  /// - Returns: whether it is recorded.
  mutating func add(
    _ function: UInt32, at address: UInt64, thread: UInt32, time: UInt64, sequence: UInt32
  ) -> Bool {
    append(
      fl_record(
        guard: function + 1, thread: thread, time: time, sequence: sequence,
        caller: UInt32(truncatingIfNeeded: address - firstAddress)))
  }

  /// Records functions that may have been called unseen.
  mutating func addGap(_ functions: Range<UInt32>, time: UInt64) {
    _ = append(
      fl_record(
        guard: functions.lowerBound + 1, thread: 0, time: time, sequence: 0,
        caller: UInt32(functions.count - 1)))
  }

  /// See `ImageWatch.since`.
  func set(since: UInt64) { store(since, at: \.watched_since) }

  /// See `ImageWatch.standsAlone`.
  func set(standsAlone: Bool) { store(standsAlone ? 1 : 0, at: \.stands_alone) }

  private mutating func append(_ record: fl_record) -> Bool {
    let place = Int(FL_HEADER_SIZE) + Int(count) * Int(FL_RECORD_SIZE)
    // Twice as large each time, so that a large segment is mapped seldom.
    if place + Int(FL_RECORD_SIZE) > file.bytes.count, !file.grow(to: file.bytes.count * 2) {
      drops += 1
      store(drops, at: \.drops)
      return false
    }
    var record = record
    let committed = record.guard
    record.guard = 0
    file.bytes.storeBytes(of: record, toByteOffset: place, as: fl_record.self)
    atomicMemoryFence(ordering: .releasing)
    file.bytes.storeBytes(of: committed, toByteOffset: place, as: UInt32.self)
    atomicMemoryFence(ordering: .releasing)
    count += 1
    store(count, at: \.count)
    return true
  }

  private func store<Value: BitwiseCopyable>(
    _ value: Value, at field: KeyPath<fl_segment_header, Value>
  ) {
    let offset = MemoryLayout<fl_segment_header>.offset(of: field)!
    file.bytes.storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }
}

/// Text in the arrays of a header.
enum ABIText {
  /// Copies as many bytes as fit.
  static func fill<Field>(_ field: inout Field, _ text: [UInt8]) -> (size: UInt32, isCut: Bool) {
    withUnsafeMutableBytes(of: &field) { room in
      let part = text.prefix(room.count)
      room.copyBytes(from: part)
      return (UInt32(part.count), part.count < text.count)
    }
  }
}

extension fl_process_id {
  init(_ process: ProcessID) {
    self.init(
      pid: process.pid, pid_namespace: process.namespace, start: process.start, key: process.key)
  }
}
