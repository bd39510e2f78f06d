import FirstlightABI
import FirstlightModel

/// A segment's header after all checks of fields against each other.
struct SegmentHeader {
  /// Maximum guards of an image: eight times those of the largest known programs, and a file of 1.5
  /// GiB.
  static let capacityLimit: UInt32 = 1 << 26
  /// Maximum address space of an image: half of a process's on x86-64.
  static let imageSizeLimit: UInt64 = 1 << 46

  let process: ProcessID
  let monotonic: UInt64
  let realtime: UInt64
  let image: Image
  let imageStart: UInt64
  let imageSize: UInt64
  let isPathTruncated: Bool
  /// Guards, or functions, of the image.
  let capacity: UInt32
  /// Most slots the file can have: a watcher also writes gaps there.
  let slotLimit: UInt32
  /// Whether the file has all its slots from the start.
  let hasAllSlots: Bool
  /// Reserved slots according to the file: may exceed `capacity` in a damaged one.
  let count: UInt32

  /// - Throws: `.data`, naming file and offset, for the first impossible field.
  init(_ page: HeaderPage<fl_segment_header>) throws(Failure) {
    try page.requireFormat(
      magic: \.magic, is: FL_SEGMENT_MAGIC, called: "segment", version: \.version,
      headerSize: \.header_size)
    let recordSize = page.value(\.record_size)
    try page.require(
      recordSize == FL_RECORD_SIZE, \.record_size,
      "record size is \(recordSize), expected \(FL_RECORD_SIZE)")
    capacity = page.value(\.capacity)
    try page.require(
      (1...Self.capacityLimit).contains(capacity), \.capacity,
      "capacity is \(capacity), expected 1 to \(Self.capacityLimit)")
    process = ProcessID(page.value(\.process))
    try page.require(process.pid != 0, \.process.pid, "process id is 0")
    monotonic = try page.time(\.monotonic, called: "monotonic clock")
    realtime = try page.time(\.realtime, called: "realtime clock")

    imageStart = page.value(\.image_start)
    imageSize = page.value(\.image_size)
    let loadBias = page.value(\.load_bias)
    try page.require(
      (1...Self.imageSizeLimit).contains(imageSize), \.image_size,
      "image size is \(imageSize), expected 1 to \(Self.imageSizeLimit)")
    try page.require(
      !imageStart.addingReportingOverflow(imageSize).overflow, \.image_start,
      "image at 0x\(hex(imageStart)) of \(imageSize) bytes ends beyond the address space")
    try page.require(
      !(loadBias &+ imageStart).addingReportingOverflow(imageSize).overflow, \.load_bias,
      "image with load bias 0x\(hex(loadBias)) ends beyond the address space")

    let recorder = page.value(\.recorder)
    guard let recorder = Self.recorders[recorder] else {
      throw page.failure(\.recorder, "recorder is \(recorder), expected 0 to 2")
    }
    let extent = imageStart..<imageStart + imageSize
    let guardsStart = page.value(\.guards_start)
    hasAllSlots = recorder != .breakpoints
    slotLimit = hasAllSlots ? capacity : capacity * 2
    try page.require(
      !hasAllSlots || Self.fits(guardsStart, UInt64(capacity) * 4, in: extent), \.guards_start,
      "\(capacity) guards at 0x\(hex(guardsStart)) are not within the image")

    let buildID = try page.content(of: \.build_id, size: \.build_id_size, called: "build id")
    let path = try page.path(\.path, size: \.path_size)
    isPathTruncated = try page.flag(\.path_truncated, called: "path_truncated")
    count = page.value(\.count)
    var image = Image(
      buildID: BuildID(bytes: buildID), path: path, loadBias: loadBias, guardCount: Int(capacity),
      guardsStart: guardsStart, drops: Int(page.value(\.drops)), recorder: recorder)
    if recorder == .breakpoints {
      image.watch = ImageWatch(
        since: page.value(\.watched_since), gaps: [],
        isSpare: try page.flag(\.is_spare, called: "is_spare"),
        standsAlone: try page.flag(\.stands_alone, called: "stands_alone"))
    }
    self.image = image
  }

  private static let recorders: [UInt32: Recorder] = [
    FL_RECORDER_GUARDS: .guards, FL_RECORDER_ENTRY_HOOKS: .entryHooks,
    FL_RECORDER_BREAKPOINTS: .breakpoints,
  ]

  private static func fits(_ start: UInt64, _ size: UInt64, in extent: Range<UInt64>) -> Bool {
    guard extent.contains(start) else { return false }
    return size <= extent.upperBound - start
  }
}
