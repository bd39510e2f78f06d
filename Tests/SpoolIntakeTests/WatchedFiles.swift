import FirstlightABI
import FirstlightModel
import Foundation
import SystemSupport
import TestSupport

/// What a watcher leaves in a spool: files of processes that it watches from outside, through the layout of the C header
/// alone.
struct WatchedFiles {
  /// Of the first moment of each process, nanoseconds of CLOCK_MONOTONIC.
  static let start: UInt64 = 1_000_000_000_000

  struct Process {
    var id: ProcessID
    /// Seconds since 1970.
    var startedAt: Double
    var watcher = WatchedFiles.thisProcess
    var isLate = false
    var standsAlone = false
    var forkedFrom: ProcessID?
    /// Seconds after the start; nil: the watch goes on.
    var ended: Double? = 60
    var unrecorded: UInt32 = 0
  }

  struct Image {
    var path = "/usr/bin/watched"
    var buildID: [UInt8] = Array(1...20)
    var capacity: UInt32 = 100
    /// Seconds after the process's start; 0: from the image's first instruction.
    var since = 0.0
    var isNeverComplete = false
    var isSpare = false
    /// Functions with the seconds after the process's start.
    var calls: [(function: UInt32, after: Double)] = []
    var gaps: [Range<UInt32>] = []
  }

  static let thisProcess = ProcessID(
    pid: UInt32(getpid()), namespace: 0, start: LiveProcess(getpid())?.startTime ?? 0, key: 0)
  /// A watcher that is no more.
  static let deadProcess = RecordedFiles.process(900)

  let directory: TemporaryDirectory

  private static func moment(_ seconds: Double) -> UInt64 { start + UInt64(seconds * 1e9) }

  /// Writes the files of a process, or replaces them.
  func leave(_ process: Process, _ images: [Image] = [Image()]) throws {
    for (number, image) in images.enumerated() {
      try write(segment(image, of: process), to: "\(process.id)-\(number).segment")
    }
    var header = fl_process_header()
    (header.magic, header.version) = (FL_PROCESS_MAGIC, FL_ABI_VERSION)
    header.header_size = FL_HEADER_SIZE
    header.process = Self.id(process.id)
    (header.monotonic, header.realtime) = (Self.start, UInt64(process.startedAt * 1e9))
    if let parent = process.forkedFrom { header.forked_from = Self.id(parent) }
    header.path_size = Self.fill(&header.path, Array((images.first?.path ?? "").utf8))
    header.watch.recorder = process.watcher.pid
    header.watch.recorder_start = process.watcher.start
    header.watch.is_late = process.isLate ? 1 : 0
    header.watch.ended = process.ended.map(Self.moment) ?? 0
    header.watch.unrecorded = process.unrecorded
    header.watch.engine = FL_WATCH_PROBES
    header.images = UInt32(images.count)
    header.sequence = UInt32(images.reduce(0) { $0 + $1.calls.count })
    try write(withUnsafeBytes(of: header) { Data($0) }, to: "\(process.id).process")
  }

  private func segment(_ image: Image, of process: Process) -> Data {
    var header = fl_segment_header()
    (header.magic, header.version) = (FL_SEGMENT_MAGIC, FL_ABI_VERSION)
    (header.header_size, header.record_size) = (FL_HEADER_SIZE, FL_RECORD_SIZE)
    header.capacity = image.capacity
    header.process = Self.id(process.id)
    (header.monotonic, header.realtime) = (Self.start, UInt64(process.startedAt * 1e9))
    (header.image_start, header.image_size) = (0x1000, UInt64(image.capacity) * 16)
    header.build_id_size = Self.fill(&header.build_id, image.buildID)
    header.path_size = Self.fill(&header.path, Array(image.path.utf8))
    header.recorder = FL_RECORDER_BREAKPOINTS
    header.is_spare = image.isSpare ? 1 : 0
    header.stands_alone = process.standsAlone ? 1 : 0
    header.watched_since =
      image.isNeverComplete ? .max : image.since == 0 ? 0 : Self.moment(image.since)
    header.count = UInt32(image.calls.count + image.gaps.count)
    var bytes = withUnsafeBytes(of: header) { Data($0) }
    for (place, call) in image.calls.enumerated() {
      append(
        fl_record(
          guard: call.function + 1, thread: 7, time: Self.moment(call.after),
          sequence: UInt32(place), caller: call.function * 16), to: &bytes)
    }
    for gap in image.gaps {
      append(
        fl_record(
          guard: gap.lowerBound + 1, thread: 0, time: Self.start, sequence: 0,
          caller: UInt32(gap.count - 1)), to: &bytes)
    }
    // A watcher's file grows by blocks.
    bytes.append(Data(count: (4096 - bytes.count % 4096) % 4096))
    return bytes
  }

  private func append(_ record: fl_record, to bytes: inout Data) {
    withUnsafeBytes(of: record) { bytes.append(contentsOf: $0) }
  }

  private func write(_ bytes: Data, to name: String) throws {
    try bytes.write(to: directory.url.appending(path: name), options: .atomic)
  }

  private static func id(_ process: ProcessID) -> fl_process_id {
    fl_process_id(
      pid: process.pid, pid_namespace: process.namespace, start: process.start, key: process.key)
  }

  private static func fill<Field>(_ field: inout Field, _ bytes: [UInt8]) -> UInt32 {
    withUnsafeMutableBytes(of: &field) { $0.copyBytes(from: bytes) }
    return UInt32(bytes.count)
  }
}
