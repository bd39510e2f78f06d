import FirstlightModel
import Glibc

/// Facts about processes from /proc.
package enum ProcessTable {
  /// A live process's real, effective, saved and file system user ids; nil if there is no such process.
  package static func users(of pid: UInt32) -> [UInt32]? {
    words(after: "Uid:", in: "/proc/\(pid)/status")?.compactMap { UInt32($0) }
  }

  /// A live process's pid in its innermost namespace; nil if there is no such process.
  package static func innermostPID(of pid: UInt32) -> UInt32? {
    words(after: "NStgid:", in: "/proc/\(pid)/status")?.last.flatMap { UInt32($0) }
  }

  /// Boot time, seconds since 1970; nil if unknown.
  package static var bootTime: Int? {
    words(after: "btime ", in: "/proc/stat")?.first.flatMap { Int($0) }
  }

  /// The words after `start` in the first line that begins with it; nil if there is no such line.
  private static func words(after start: String, in path: String) -> [Substring]? {
    ProcFile.line(of: path, beginning: start)?.removing(prefix: start)?.words
  }

  /// Whether /proc shows our own pid namespace: in another one, the pids belong to other processes.
  package static var isOfOwnNamespace: Bool {
    ProcFile.target(of: "/proc/self") == "\(getpid())"
  }

  /// Inode of our own pid namespace; 0 if unknown.
  package static var ownNamespace: UInt32 {
    var status = stat()
    return stat("/proc/self/ns/pid", &status) == 0 ? UInt32(truncatingIfNeeded: status.st_ino) : 0
  }

  /// Whether we are in the first pid namespace (linux/proc_ns.h, PROC_PID_INIT_INO), by whose pids the kernel names
  /// processes.
  package static var isInFirstNamespace: Bool { ownNamespace == 0xefff_fffc }
}
