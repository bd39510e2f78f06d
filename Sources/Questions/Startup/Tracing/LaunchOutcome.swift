import Glibc
import ProcessControl
import SystemSupport

/// The result of a start.
struct LaunchOutcome {
  /// The end of the start-up, or of the wait for it.
  struct Moment {
    /// CLOCK_MONOTONIC, nanoseconds.
    var time: UInt64
    var faults: LaunchEvents.Faults
    /// Nanoseconds of CPU time of all threads; 0: unknown.
    var ran: UInt64
    /// Whether the time is exact: from a breakpoint, or from a time stamp of the program.
    var isTold: Bool
    /// For a time from polling: the interval between two checks, seconds.
    var resolution = 0.0

    /// Takes the current figures of the process.
    init(time: UInt64, process: pid_t, isTold: Bool) {
      self.time = time
      faults =
        ProcessStat(of: process).map { .init(minor: $0.minorFaults, major: $0.majorFaults) }
        ?? .init()
      ran = ProcessSnapshot.cpuTime(of: process).map { UInt64($0 * 1e6) } ?? 0
      self.isTold = isTold
    }
  }

  var reached: Moment?
  /// The program's wait status; nil: it was still running.
  var status: WaitStatus?
  /// When its end was noticed: CLOCK_MONOTONIC, nanoseconds.
  var endedAt: UInt64 = 0
  /// Faults of a program that ran on untraced.
  var faults = LaunchEvents.Faults()
  /// When the wait was given up; nil: it was not.
  var givenUp: Moment?
  /// Ports on which the program listened then.
  var ports: [Int] = []
  var lastWords = ""
  /// The number of processes that were left when the program ended.
  var left = 0
}
