import FirstlightModel
import Glibc
import SystemSupport
import TraceReader

/// A process that has files in the spool, as far as one page of them tells.
struct KnownProcess {
  var entry: TraceEntry
  /// Nil if its process file could not be read: it counts as finished.
  var page: ProcessPage?
  /// Who owns its files.
  var user: UInt32 = 0
  /// Whether a look at the spool found it to have ended.
  var hasEnded = false
  /// What its files take up, once somebody measured it.
  var bytes = 0
  var files = 0
  /// Whether only its files say that it runs, and not it. Who leaves such files is held to a quota like any
  /// other.
  private(set) var isDoubtful = false
  /// Whether it was seen to run.
  var wasRunning = false
  /// Seconds since 1970 when it was first seen to have ended; nil if nobody saw it run.
  private(set) var endedAt: Double?

  init(entry: TraceEntry) { self.entry = entry }

  /// With its namespace, if that is known.
  var process: ProcessID { page?.process ?? entry.process }

  /// CLOCK_MONOTONIC, nanoseconds; 0 if unknown.
  var startedAt: UInt64 { page?.clockBase.monotonic ?? 0 }

  mutating func endedNow() {
    guard wasRunning, endedAt == nil else { return }
    endedAt = Clock.realtime()
    wasRunning = false
  }

  /// Reads its process file, if that can be read. Arguments are not kept: thousands may wait.
  mutating func readPage(in directory: String) {
    page = try? ProcessFile.read(path: "\(directory)/\(entry.processFile)")
    page?.arguments = []
  }

  /// Finds out who owns its files.
  mutating func lookUpUser(in directory: String) {
    // The process file comes last, and is there as long as any is.
    for name in entry.files.reversed() {
      var status = stat()
      guard lstat("\(directory)/\(name)", &status) == 0 else { continue }
      user = status.st_uid
      return
    }
  }

  /// The executable, if its process file says so.
  var path: String? { page?.path }

  /// Finds out whether its files say that they are of a process that is wholly root's, and are somebody
  /// else's: that this process runs says nothing of them.
  /// - Parameter namespace: our own pid namespace, in which it would have to be; 0 if unknown.
  mutating func lookUpDoubt(namespace: UInt32) {
    isDoubtful =
      user != 0 && (process.namespace == 0 || process.namespace == namespace)
      && ProcessTable.users(of: process.pid)?.allSatisfy { $0 == 0 } == true
  }

  /// With what its files take up now.
  func measured(in directory: String) -> KnownProcess {
    var process = self
    process.lookUpUser(in: directory)
    process.bytes = 0
    process.files = 0
    for name in entry.files {
      var status = stat()
      guard lstat("\(directory)/\(name)", &status) == 0 else { continue }
      process.bytes += Int(status.st_blocks) * 512
      process.files += 1
    }
    return process
  }
}

/// A finished process whose turn it is.
struct AdmittedProcess {
  var known: KnownProcess
  var run: String
  var root: String
  /// Whether the first process of its family has no files any more: then it was counted, maybe at a
  /// time when nobody knew that a child would come.
  var isOrphan: Bool
}
