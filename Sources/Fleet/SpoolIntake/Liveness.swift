import FirstlightModel
import Glibc
import SystemSupport

/// Decides whether recording processes still run; if in doubt, they do, since dead ones' files are removed.
///
/// A pid alone is not sufficient. The process may be hidden (another pid namespace, `hidepid`), or
/// its pid reused; and in a time namespace clocks and start times differ. If the pid does not decide,
/// the kernel shows whether any process still maps the files for writing.
struct Liveness {
  /// Inode of our own pid namespace; 0 if unknown.
  private let namespace: UInt32
  /// Processes of other pid namespaces, with their inner pids and start times; nil until first needed.
  private var others: Set<Other>?
  /// Results by process, since a process may have many files.
  private var known: [ProcessID: Bool?] = [:]

  private struct Other: Hashable {
    var pid: UInt32
    var start: UInt64
  }

  init() {
    namespace = ProcessTable.ownNamespace
  }

  /// Whether the process, or another one that can write to its files, still runs.
  ///
  /// - Parameters:
  ///   - files: paths of all files that the process maps.
  ///   - inherited: of these, the ones that its forked children go on writing.
  mutating func isRunning(_ process: ProcessID, files: [String], inherited: [String]) -> Bool {
    var owner = process
    owner.key = 0
    let byPID = known[owner] ?? isRunningByPID(process)
    known[owner] = .some(byPID)
    if let byPID { return byPID || inherited.contains { FileLease.isWritable($0) == true } }
    var isKnown = true
    for file in files {
      guard let isWritable = FileLease.isWritable(file) else {
        isKnown = false
        continue
      }
      if isWritable { return true }
    }
    return !isKnown && !isGone(process, files)
  }

  /// Nil if the pid is not sufficient to decide.
  private mutating func isRunningByPID(_ process: ProcessID) -> Bool? {
    if process.namespace == namespace, namespace != 0,
      kill(pid_t(bitPattern: process.pid), 0) != 0, errno == ESRCH
    {
      return false
    }
    if process.namespace == namespace || process.namespace == 0 || namespace == 0 {
      let start = LiveProcess(process.pid)?.startTime
      return start != nil && start == process.start ? true : nil
    }
    let others = others ?? Self.otherNamespaces()
    self.others = others
    return others.contains(Other(pid: process.pid, start: process.start)) ? true : nil
  }

  /// Whether a process must have ended though the kernel gives no answer: it would be visible, or
  /// none of its files has changed since boot.
  private func isGone(_ process: ProcessID, _ files: [String]) -> Bool {
    if seesAll, process.namespace != namespace, process.namespace != 0 { return true }
    guard let bootTime = ProcessTable.bootTime else { return false }
    return files.allSatisfy { path in
      var status = stat()
      return lstat(path, &status) != 0 || status.st_ctim.tv_sec < bootTime
    }
  }

  /// Whether our /proc shows all processes of this machine.
  private var seesAll: Bool {
    ProcessTable.isInFirstNamespace && access("/proc/1/stat", R_OK) == 0
  }

  /// Processes whose inner pid differs from the one in our namespace: NStgid of /proc/PID/status
  /// (proc(5)) lists both, the innermost last.
  private static func otherNamespaces() -> Set<Other> {
    var found: Set<Other> = []
    for name in (try? DirectoryListing.names(in: "/proc")) ?? [] {
      guard let pid = UInt32(name), let inner = ProcessTable.innermostPID(of: pid), inner != pid,
        let start = LiveProcess(pid)?.startTime
      else { continue }
      found.insert(Other(pid: inner, start: start))
    }
    return found
  }
}
