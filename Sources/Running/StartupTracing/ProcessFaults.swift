import Glibc
import StartupReport
import SystemSupport

/// Page faults of a process so far (proc(5), fields 10 and 12 of stat).
enum ProcessFaults {
  /// None if it is gone.
  static func of(_ pid: pid_t) -> LaunchEvents.Faults {
    guard let stat = ProcFile.text("/proc/\(pid)/stat"), let name = stat.lastIndex(of: ")") else {
      return LaunchEvents.Faults()
    }
    let fields = stat[stat.index(after: name)...].split(separator: " ")
    guard fields.count > 9, let minor = UInt64(fields[7]), let major = UInt64(fields[9]) else {
      return LaunchEvents.Faults()
    }
    return LaunchEvents.Faults(minor: minor, major: major)
  }
}
