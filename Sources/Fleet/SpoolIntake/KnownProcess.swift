import FirstlightModel
import Glibc
import SystemSupport
import TraceReader

/// A process with files in the spool, as far as one page shows. There may be hundreds of thousands,
/// so it stores nothing of unlimited length.
struct KnownProcess {
  /// The contents of the process file.
  struct Page {
    var process: ProcessID
    var forkedFrom: ProcessID?
    /// CLOCK_MONOTONIC, nanoseconds.
    var startedAt: UInt64
    /// The start, seconds since 1970.
    var begunAt: Double
    /// How another process watches it; nil if it records itself.
    var watch: ProcessWatch?
  }

  var entry: TraceEntry
  /// Nil if the process file could not be read: the process then counts as finished.
  var page: Page?
  /// Owner of the files.
  var user: UInt32 = 0
  /// Size of the files when last measured.
  private(set) var bytes = 0
  private(set) var files = 0
  /// Time of that measurement, CLOCK_MONOTONIC in seconds; 0 if never.
  private var measuredAt = 0.0
  /// Whether the process was seen running.
  var wasRunning = false
  /// Time of the first observation that it had ended, seconds since 1970; nil if it was never seen running.
  private(set) var endedAt: Double?

  init(entry: TraceEntry) { self.entry = entry }

  /// The process, with its namespace if known.
  var process: ProcessID { page?.process ?? entry.process }

  /// CLOCK_MONOTONIC, nanoseconds; 0 if unknown.
  var startedAt: UInt64 { page?.startedAt ?? 0 }

  mutating func endedNow() {
    guard wasRunning, endedAt == nil else { return }
    endedAt = Clock.realtime()
    wasRunning = false
  }

  /// Reads the process file, if possible; that of a watched process again, as it says whether the watch has ended.
  mutating func readPage(in directory: String) {
    guard page == nil || page?.watch != nil,
      let read = try? ProcessFile.read(path: "\(directory)/\(entry.processFile)")
    else { return }
    page = Page(
      process: read.process, forkedFrom: read.forkedFrom?.process,
      startedAt: read.clockBase.monotonic, begunAt: Double(read.clockBase.realtime) / 1e9,
      watch: read.watch)
  }

  /// The process that writes the files, as long as they may change; nil if none does any more.
  var writer: ProcessID? {
    guard let watch = page?.watch else { return page?.process }
    guard watch.ended == nil else { return nil }
    var recorder = watch.recorder
    recorder.namespace = process.namespace
    return recorder
  }

  /// Determines the owner and size of the files, unless they were measured recently.
  mutating func measure(in directory: String, now: Double, atMostEvery seconds: Double = 0) {
    guard now - measuredAt >= seconds || measuredAt == 0 else { return }
    measuredAt = now
    (bytes, files) = (0, 0)
    // The process file comes last, and exists as long as any file does.
    for name in entry.files {
      var status = stat()
      guard lstat("\(directory)/\(name)", &status) == 0 else { continue }
      bytes += Int(status.st_blocks) * 512
      files += 1
      user = status.st_uid
    }
  }
}

/// A finished process that is to be counted now.
struct AdmittedProcess {
  var known: KnownProcess
  var run: String
  var root: String
  /// Whether the first process of its family has no files any more: it was counted, perhaps before
  /// this child was known.
  var isOrphan: Bool
}
