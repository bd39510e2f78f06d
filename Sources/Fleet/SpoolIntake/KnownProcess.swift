import FirstlightModel
import Glibc
import SystemSupport
import TraceReader

/// A process that has files in the spool, as far as one page of them shows. There may be hundreds of
/// thousands, so it holds nothing whose length others choose.
struct KnownProcess {
  /// What its process file says.
  struct Page {
    var process: ProcessID
    var forkedFrom: ProcessID?
    /// CLOCK_MONOTONIC, nanoseconds.
    var startedAt: UInt64
  }

  var entry: TraceEntry
  /// Nil if its process file could not be read: it counts as finished.
  var page: Page?
  /// Who owns its files.
  var user: UInt32 = 0
  /// What its files took up when they were last measured.
  private(set) var bytes = 0
  private(set) var files = 0
  /// When that was, CLOCK_MONOTONIC in seconds; 0: never.
  private var measuredAt = 0.0
  /// Whether it was seen to run.
  var wasRunning = false
  /// Seconds since 1970 when it was first seen to have ended; nil if it was never seen running.
  private(set) var endedAt: Double?

  init(entry: TraceEntry) { self.entry = entry }

  /// With its namespace, if that is known.
  var process: ProcessID { page?.process ?? entry.process }

  /// CLOCK_MONOTONIC, nanoseconds; 0 if unknown.
  var startedAt: UInt64 { page?.startedAt ?? 0 }

  mutating func endedNow() {
    guard wasRunning, endedAt == nil else { return }
    endedAt = Clock.realtime()
    wasRunning = false
  }

  /// Reads its process file, if that can be read.
  mutating func readPage(in directory: String) {
    page = (try? ProcessFile.read(path: "\(directory)/\(entry.processFile)")).map {
      Page(
        process: $0.process, forkedFrom: $0.forkedFrom?.process, startedAt: $0.clockBase.monotonic)
    }
  }

  /// Finds out whose its files are and what they take up, unless that was done a moment ago.
  mutating func measure(in directory: String, now: Double, atMostEvery seconds: Double = 0) {
    guard now - measuredAt >= seconds || measuredAt == 0 else { return }
    measuredAt = now
    (bytes, files) = (0, 0)
    // The process file comes last, and is there as long as any is.
    for name in entry.files {
      var status = stat()
      guard lstat("\(directory)/\(name)", &status) == 0 else { continue }
      bytes += Int(status.st_blocks) * 512
      files += 1
      user = status.st_uid
    }
  }
}

/// A finished process whose turn it is.
struct AdmittedProcess {
  var known: KnownProcess
  var run: String
  var root: String
  /// Whether the first process of its family has no files any more: then it was counted, maybe before its
  /// child was known.
  var isOrphan: Bool
}
