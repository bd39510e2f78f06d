import FirstlightABI
import FirstlightModel
import Glibc
import SystemSupport

/// The directory that a watcher's recordings go to.
final class WatchFolder {
  let path: String
  fileprivate let descriptor: Int32
  fileprivate var beginnings = Beginnings()
  fileprivate let watcher = ProcessID(
    pid: UInt32(getpid()), namespace: 0, start: LiveProcess(getpid())?.startTime ?? 0, key: 0)

  /// - Throws: `.cannotCreate` if it is missing or not writable.
  init(_ path: String) throws(Failure) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
      throw Failure(.cannotCreate, "\(path): \(ErrorText.of(errno))")
    }
  }

  deinit { close(descriptor) }
}

/// Writes the recording of one process that this one watches: the files that the runtime would write in a program with
/// hooks, so that every reader of recordings reads them, and a kill of this process loses nothing.
final class ProcessWriter {
  /// A process, from its exec, its fork, or its first sight.
  struct Origin {
    var pid: UInt32
    var parent: UInt32
    /// Clock ticks since boot; 0: unknown.
    var start: UInt64
    var clock: (monotonic: UInt64, realtime: UInt64)
    var forkedFrom: (process: ProcessID, sequence: UInt32)?
    /// Whether it, or the process that it was forked from, had begun before.
    var isLate: Bool
    var engine: Attachment
    var path: [UInt8]
    /// Each ended by NUL.
    var command: [UInt8]
    /// Whether it was forked before the watch began; it may since have executed the same program again.
    var isOldFork = false
  }

  let id: ProcessID
  private let folder: WatchFolder
  let origin: Origin
  /// Nil if its beginning is that of the process it was forked from.
  private var beginning: Beginnings.Process?
  private var file: MappedRecord
  private var segments: [Segment] = []
  private var places: [Int: Int] = [:]
  private(set) var sequence: UInt32 = 0
  private var images: UInt32 = 0
  private var lost: UInt32 = 0
  /// The numbers of images that count as lost.
  private var lostNumbers: Set<Int> = []
  /// The number that its file has.
  private var unrecorded: UInt32 = 0

  private final class Segment {
    var writer: SegmentWriter
    let image: WatchedImage
    var since: UInt64
    /// A process may have several copies of an image (dlmopen, or loaded again), each with breakpoints of its own.
    var called: Set<UInt32> = []

    init(_ writer: consuming SegmentWriter, _ image: WatchedImage, since: UInt64) {
      self.writer = writer
      (self.image, self.since) = (image, since)
    }
  }

  /// - Throws: `.cannotCreate`.
  init(_ origin: Origin, in folder: WatchFolder) throws(Failure) {
    self.origin = origin
    self.folder = folder
    let id = ProcessID(
      pid: origin.pid, namespace: ProcessTable.ownNamespace, start: origin.start,
      key: .random(in: 1...(.max)))
    self.id = id
    var header = fl_process_header()
    header.magic = FL_PROCESS_MAGIC
    header.version = FL_ABI_VERSION
    header.header_size = FL_HEADER_SIZE
    header.process = fl_process_id(id)
    header.parent_pid = origin.parent
    header.user = geteuid()
    (header.monotonic, header.realtime) = origin.clock
    if let parent = origin.forkedFrom, parent.process.start <= origin.start || origin.start == 0 {
      header.forked_from = fl_process_id(parent.process)
      header.forked_at = parent.sequence
    }
    let path = ABIText.fill(&header.path, origin.path)
    (header.path_size, header.path_truncated) = (path.size, path.isCut ? 1 : 0)
    let command = ABIText.fill(&header.command, origin.command)
    (header.command_size, header.command_truncated) = (command.size, command.isCut ? 1 : 0)
    header.watch.recorder = folder.watcher.pid
    header.watch.recorder_start = folder.watcher.start
    header.watch.engine = origin.engine == .probes ? FL_WATCH_PROBES : FL_WATCH_PTRACE
    header.watch.is_late = origin.isLate ? 1 : 0
    let isMark = ProcessWatch.isMark(watcher: folder.watcher, of: id)
    if !isMark, header.forked_from.pid == 0 || origin.isOldFork {
      beginning = Self.beginning(origin, isLate: origin.isLate)
    }
    file = try withUnsafeBytes(of: header) { header throws(Failure) in
      try MappedRecord(
        in: folder.descriptor, "\(id).process", hidden: ".\(id)-0-0", header: header,
        size: Int(FL_HEADER_SIZE))
    }
    if let beginning { folder.beginnings.begin(beginning) }
  }

  private static func beginning(_ origin: Origin, isLate: Bool) -> Beginnings.Process {
    Beginnings.Process(
      start: Beginnings.start(origin.path, origin.command), time: origin.clock.monotonic,
      isLate: isLate, mayHideLibraries: origin.engine == .probes)
  }

  /// Whether the start says nothing of what others did in an image; see `Beginnings`.
  private func standsAlone(in image: WatchedImage, since: UInt64) -> Bool {
    guard let beginning else { return false }
    return !folder.beginnings.add(
      image, isLibrary: Array(image.path.utf8) != origin.path, since: since, to: beginning)
  }

  /// Begins to record an image; one that cannot be recorded counts as lost.
  ///
  /// - Parameters:
  ///   - number: the caller's number of the image, as of the calls.
  ///   - since: see `ImageWatch.since`.
  func add(_ image: WatchedImage, _ number: Int, loadBias: UInt64, since: UInt64 = 0) {
    guard places[number] == nil else { return }
    if !lostNumbers.contains(number) {
      images += 1
      store(images, at: \.images)
    }
    do throws(Failure) {
      // The process may have called functions since it began, so its own beginning is the segment's.
      let writer = try SegmentWriter(
        image, of: id, number: segments.count, in: folder.descriptor, loadBias: loadBias,
        clock: origin.clock, since: since, standsAlone: standsAlone(in: image, since: since))
      places[number] = segments.count
      segments.append(Segment(writer, image, since: since))
    } catch {
      guard lostNumbers.insert(number).inserted else { return }
      lost += 1
      store(lost, at: \.lost_images)
    }
  }

  /// Counts an image whose calls are not recorded.
  ///
  /// - Parameter number: the caller's number of it; nil: it is counted each time.
  func addLostImage(_ number: Int? = nil) {
    if let number, !lostNumbers.insert(number).inserted { return }
    images += 1
    lost += 1
    store(images, at: \.images)
    store(lost, at: \.lost_images)
  }

  /// Counts processes that could not be recorded.
  func addUnrecorded(_ count: Int) {
    unrecorded += UInt32(clamping: count)
    store(unrecorded, at: \.watch.unrecorded)
  }

  /// The numbers of the images, as of `add`.
  var numbers: Dictionary<Int, Int>.Keys { places.keys }

  /// Records the first call of a function.
  ///
  /// - Returns: whether it is recorded; else it is lost.
  @discardableResult
  func add(image: Int, function: UInt32, thread: UInt32, time: UInt64) -> Bool {
    guard let place = places[image] else { return false }
    let segment = segments[place]
    guard segment.called.insert(function).inserted else { return true }
    let isRecorded = segment.writer.add(
      function, at: segment.image.addresses[Int(function)], thread: thread,
      time: max(time, origin.clock.monotonic), sequence: sequence)
    sequence += 1
    store(sequence, at: \.sequence)
    return isRecorded
  }

  /// Records functions that may have been called unseen.
  func addGap(image: Int, _ functions: Range<UInt32>) {
    guard let place = places[image], !functions.isEmpty else { return }
    segments[place].writer.addGap(functions, time: origin.clock.monotonic)
  }

  /// See `ImageWatch.since`.
  func set(since: UInt64, image: Int) {
    guard let place = places[image] else { return }
    segments[place].since = since
    segments[place].writer.set(since: since)
    folder.beginnings.set(since: since, of: segments[place].image)
  }

  /// The first instruction of the program was seen after all, with the arguments of the origin.
  func sawStart() {
    store(0, at: \.watch.is_late)
    store(fl_process_id(), at: \.forked_from)
    let beginning = Self.beginning(origin, isLate: false)
    self.beginning = beginning
    folder.beginnings.begin(beginning)
    for segment in segments {
      segment.writer.set(standsAlone: standsAlone(in: segment.image, since: segment.since))
    }
  }

  /// All first calls before this moment are recorded; see `fl_watch.until`.
  func set(until time: UInt64) { store(time, at: \.watch.until) }

  /// The watch has ended in order.
  ///
  /// - Parameters:
  ///   - running: processes that run on unwatched: this one, and its forks without files.
  ///   - unrecorded: its forks that could not be watched; nil: as many as before.
  func end(at time: UInt64, running: UInt32 = 0, unrecorded: UInt32? = nil) {
    let unrecorded = unrecorded ?? self.unrecorded
    self.unrecorded = unrecorded
    store(running, at: \.watch.running)
    store(unrecorded, at: \.watch.unrecorded)
    store(time, at: \.watch.ended)
  }

  /// Sets the numbers of a process that has ended, in order; see `end`.
  static func set(
    running: UInt32, unrecorded: UInt32, of process: ProcessID, in folder: WatchFolder
  ) {
    let file = openat(folder.descriptor, "\(process).process", O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    for (field, var value) in [
      (\fl_process_header.watch.running, running), (\.watch.unrecorded, unrecorded),
    ] {
      pwrite(
        file, &value, MemoryLayout.size(ofValue: value),
        off_t(MemoryLayout<fl_process_header>.offset(of: field)!))
    }
  }

  /// Takes the file out of the recording.
  func remove() { unlinkat(folder.descriptor, "\(id).process", 0) }

  private func store<Value: BitwiseCopyable>(
    _ value: Value, at field: KeyPath<fl_process_header, Value>
  ) {
    let offset = MemoryLayout<fl_process_header>.offset(of: field)!
    file.bytes.storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }
}

extension ProcessWriter {
  /// Records functions that may have been called unseen, in as few records as possible.
  func addGaps(image: Int, _ functions: Set<UInt32>) {
    var rest = functions.sorted()[...]
    while let first = rest.popFirst() {
      var end = first + 1
      while rest.first == end {
        rest.removeFirst()
        end += 1
      }
      addGap(image: image, first..<end)
    }
  }
}
