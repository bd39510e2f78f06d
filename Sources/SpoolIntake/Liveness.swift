import FirstlightModel
import Glibc
import TraceReader

/// Tells whether recording processes still run.
struct Liveness {
  /// Inode of our own pid namespace; 0 if unknown.
  private let namespace: UInt32
  /// CLOCK_MONOTONIC, nanoseconds.
  private let now: UInt64
  /// Processes of other pid namespaces as they see themselves, with their start times; nil until
  /// somebody asks.
  private var others: Set<Other>?

  private struct Other: Hashable {
    var pid: UInt32
    var start: UInt64
  }

  init() {
    var status = stat()
    namespace =
      stat("/proc/self/ns/pid", &status) == 0 ? UInt32(truncatingIfNeeded: status.st_ino) : 0
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Whether a process with this identity runs. When in doubt it does.
  /// - Parameter startedAt: CLOCK_MONOTONIC when it made its file, nanoseconds.
  mutating func isRunning(_ process: ProcessID, startedAt: UInt64) -> Bool {
    // Made by a machine that was started anew since.
    if startedAt > now { return false }
    if process.namespace == namespace || process.namespace == 0 || namespace == 0 {
      guard let start = ProcessTable.startTime(of: process.pid) else { return false }
      return process.start == 0 || start == process.start
    }
    if others == nil { others = Self.otherNamespaces() }
    return others?.contains(Other(pid: process.pid, start: process.start)) ?? true
  }

  /// Processes whose own pid differs from the one we see: NStgid of /proc/PID/status (proc(5)) lists
  /// both, the innermost last.
  private static func otherNamespaces() -> Set<Other> {
    var found: Set<Other> = []
    guard let directory = opendir("/proc") else { return found }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let pid = UInt32(name), let inner = innermostPID(of: pid), inner != pid,
        let start = ProcessTable.startTime(of: pid)
      else { continue }
      found.insert(Other(pid: inner, start: start))
    }
    return found
  }

  private static func innermostPID(of pid: UInt32) -> UInt32? {
    guard let file = fopen("/proc/\(pid)/status", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, 512, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard text.hasPrefix("NStgid:") else { continue }
      return text.split(whereSeparator: \.isWhitespace).last.flatMap { UInt32($0) }
    }
    return nil
  }
}
