import FirstlightModel

/// Decides whether the start of a process shows what others did in an image before it was watched there: only if each of
/// them was started as a process that was seen whole by then, by the same name with the same arguments. `server --version`
/// shows nothing of a server.
///
/// A process is seen whole in an image if its last function was watched before the process began. Whether the process or
/// the image came too late makes no difference.
///
/// The watcher decides, because it alone sees arguments: they do not leave the host. Readers find the answer in the
/// recording (`ImageWatch.standsAlone`).
struct Beginnings {
  /// How a process was started: its program, its name and its arguments; nil: unknown.
  typealias Start = [UInt8]?

  /// A process that began a program itself: none that was forked from a watched one, whose beginning is its parent's.
  struct Process {
    let start: Start
    /// CLOCK_MONOTONIC, nanoseconds.
    let time: UInt64
    /// Whether it had begun before.
    let isLate: Bool
    /// Whether it may use libraries before the watcher notices that.
    let mayHideLibraries: Bool
  }

  private struct Known {
    let isLibrary: Bool
    /// See `ImageWatch.since`.
    var since: UInt64
    /// The starts of processes that were not seen whole here, and that no start since was like.
    var missed: Set<Start>
  }

  private var images: [TextBytes: Known] = [:]
  /// The starts of processes that may have used and left a library which is not known yet.
  private var earlier: Set<Start> = []

  /// Titles that programs write over their arguments may be new in each process.
  private static let mostStarts = 1000
  /// Bytes of a start.
  private static let longest = 1 << 14

  /// - Parameter command: the name and the arguments, each ended by NUL; empty: unknown.
  static func start(_ program: [UInt8], _ command: [UInt8]) -> Start {
    command.isEmpty || command.count > longest ? nil : program + [0] + command
  }

  /// A process begins to be watched.
  mutating func begin(_ process: Process) {
    for (key, image) in images where image.isLibrary { note(process, key, since: image.since) }
    if process.isLate || process.mayHideLibraries { Self.insert(process.start, into: &earlier) }
  }

  /// An image begins to be watched in a process.
  ///
  /// - Returns: whether the process's start stands for all that was missed there.
  mutating func add(
    _ image: WatchedImage, isLibrary: Bool, since: UInt64, to process: Process
  ) -> Bool {
    let key = Self.key(image)
    var known =
      images[key] ?? Known(isLibrary: isLibrary, since: 0, missed: isLibrary ? earlier : [])
    // A build may have copies, of which one is watched later.
    known.since = known.since == .max ? since : max(known.since, since)
    images[key] = known
    return note(process, key, since: since)
  }

  /// All functions of an image are watched from now on.
  mutating func set(since: UInt64, of image: WatchedImage) {
    images[Self.key(image)]?.since = since
  }

  private static func key(_ image: WatchedImage) -> TextBytes {
    TextBytes(image.buildID?.description ?? image.path)
  }

  @discardableResult
  private mutating func note(_ process: Process, _ key: TextBytes, since: UInt64) -> Bool {
    var missed = images[key]?.missed ?? []
    // Copied once, not each time that it changes.
    images[key]?.missed = []
    defer { images[key]?.missed = missed }
    guard !process.isLate, since <= process.time else {
      Self.insert(process.start, into: &missed)
      return false
    }
    if let start = process.start { missed.remove(start) }
    return missed.isEmpty
  }

  private static func insert(_ start: Start, into starts: inout Set<Start>) {
    starts.insert(starts.count < mostStarts ? start : nil)
  }
}
