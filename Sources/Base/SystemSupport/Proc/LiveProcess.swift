import FirstlightModel
import Glibc

/// A process that has not ended: one of its tasks (threads) lives.
///
/// The task with the process's number may end before the others do (pthread_exit in `main`). Until they have ended,
/// /proc shows it as a zombie: its own entries have no memory, files or namespaces any more, but those of each living
/// task have them. A task that executes a program takes over that number, and the process goes on.
package struct LiveProcess {
  package let pid: UInt32
  /// Clock ticks since boot.
  package let startTime: UInt64
  /// Whether a task with another number lives, although the task with the process's number has ended.
  package let hasLostItsFirstTask: Bool

  /// Nil if there is no such process, or it has ended.
  package init?(_ pid: some FixedWidthInteger) {
    guard let number = UInt32(exactly: pid), let stat = ProcessStat(of: number),
      !stat.isOfEndedTask || stat.threadCount > 1
    else { return nil }
    self.pid = number
    startTime = stat.startTime
    hasLostItsFirstTask = stat.isOfEndedTask
  }

  /// The folder in /proc with the process's memory, files and namespaces: that of a living task.
  package var folder: String {
    let own = "/proc/\(pid)"
    guard hasLostItsFirstTask else { return own }
    let tasks = (try? DirectoryListing.names(in: own + "/task")) ?? []
    let living = tasks.first { ProcessStat(at: "\(own)/task/\($0)")?.isOfEndedTask == false }
    return living.map { "\(own)/task/\($0)" } ?? own
  }

  /// The folder of a process; nil if that has ended.
  package static func folder(ofLiving pid: some FixedWidthInteger) -> String? {
    let own = "/proc/\(pid)"
    // A task with memory has an executable. Processes are polled, and nearly all have their first task.
    return access(own + "/exe", F_OK) == 0 ? own : LiveProcess(pid)?.folder
  }

  /// The folder of a process that may have ended.
  package static func folder(of pid: some FixedWidthInteger) -> String {
    folder(ofLiving: pid) ?? "/proc/\(pid)"
  }

  /// - Parameter process: its number, or "self".
  static func folder(named process: String) -> String {
    UInt32(process).map { folder(of: $0) } ?? "/proc/" + process
  }

  /// Whether a process ends with its first task, which is held before its end; false: other tasks go on, or one of
  /// them executes a program and waits for that end.
  package static func ends(withFirstTask pid: pid_t) -> Bool {
    let limit = Clock.monotonic() + patience
    repeat {
      let tasks = (try? DirectoryListing.names(in: "/proc/\(pid)/task")) ?? []
      let going = tasks.filter { $0 != "\(pid)" }.map { "/proc/\(pid)/task/\($0)" }
        .filter { !isEnding($0) }
      if going.isEmpty {
        // Another task may have ended the process meanwhile, and this one with it: then it is held no more.
        return ProcessStat(of: pid)?.state == "t"
      }
      // A task that has called for the process's end runs until it begins to end itself. One that waits goes on,
      // also if it waits in exec for the end of this one.
      if going.contains(where: isWaiting) { return false }
      usleep(100)
    } while Clock.monotonic() < limit
    return false
  }

  /// Seconds in which the task that ended the process begins to end itself; the others are killed at once.
  private static let patience = 0.02

  private static func isWaiting(_ task: String) -> Bool {
    let state = ProcessStat(at: task)?.state
    return state == "S" || state == "D"
  }

  /// Whether a task has ended, is about to, or is killed.
  private static func isEnding(_ task: String) -> Bool {
    guard let stat = ProcessStat(at: task), !stat.isOfEndedTask else { return true }
    let pending = ProcFile.line(of: task + "/status", beginning: "SigPnd:")?
      .words.last.flatMap { UInt64($0, radix: 16) }
    return (pending ?? 0) >> UInt64(SIGKILL - 1) & 1 != 0
  }

  /// The live processes of a session.
  package static func members(ofSession session: Int32) -> [Int32] {
    ((try? DirectoryListing.names(in: "/proc")) ?? []).compactMap { Int32($0) }.filter { pid in
      ProcessStat(of: pid)?.session == Int(session) && LiveProcess(pid) != nil
    }
  }
}
