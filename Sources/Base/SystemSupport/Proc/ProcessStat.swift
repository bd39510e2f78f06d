import FirstlightModel
import Glibc

/// The fields of /proc/PID/stat, and of a task's (proc_pid_stat(5)).
package struct ProcessStat {
  /// `Z`: a zombie.
  package let state: Character
  /// Whether the task has ended, or is about to and has given up its memory: PF_EXITING (linux/sched.h).
  let isOfEndedTask: Bool
  /// Process id of the parent.
  package let parent: Int
  /// Session id (setsid(2)).
  package let session: Int
  /// Page faults so far.
  package let minorFaults, majorFaults: UInt64
  package let threadCount: Int
  /// Clock ticks since boot.
  package let startTime: UInt64

  /// Nil if there is no such process.
  package init?(of pid: some FixedWidthInteger) {
    self.init(at: "/proc/\(pid)")
  }

  /// - Parameter folder: of a process or a task.
  init?(at folder: String) {
    guard let text = ProcFile.text(folder + "/stat") else { return nil }
    self.init(text)
  }

  init?(_ text: String) {
    // The second field is the program's name in brackets, which may contain any character. The
    // fields from the third on follow it.
    guard let fields = text.cutLast(at: ")")?.behind.split(at: " ") else { return nil }
    guard fields.count > 19, let state = fields[0].first, let parent = Int(fields[1]),
      let session = Int(fields[3]), let flags = UInt32(fields[6]),
      let minor = UInt64(fields[7]),
      let major = UInt64(fields[9]), let threads = Int(fields[17]), let start = UInt64(fields[19])
    else { return nil }
    (self.state, self.parent, self.session) = (state, parent, session)
    isOfEndedTask = state == "Z" || state == "X" || flags & 4 != 0
    (minorFaults, majorFaults, threadCount, startTime) = (minor, major, threads, start)
  }
}
