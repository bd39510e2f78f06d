import Glibc

/// The clocks of the machine, in seconds.
package enum Clock {
  package static func realtime() -> Double { read(CLOCK_REALTIME) }
  package static func monotonic() -> Double { read(CLOCK_MONOTONIC) }
  /// Also counts while the machine sleeps.
  package static func sinceBoot() -> Double { read(CLOCK_BOOTTIME) }
  /// CPU time of the calling thread.
  package static func thread() -> Double { read(CLOCK_THREAD_CPUTIME_ID) }

  package static func timespec(_ seconds: Double) -> Glibc.timespec {
    Glibc.timespec(
      tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
  }

  private static func read(_ clock: clockid_t) -> Double {
    var now = Glibc.timespec()
    clock_gettime(clock, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}

extension rusage {
  /// CPU time of a process in user and kernel mode, milliseconds.
  package var cpuTime: Double { ru_utime.milliseconds + ru_stime.milliseconds }
}

extension timeval {
  fileprivate var milliseconds: Double { Double(tv_sec) * 1e3 + Double(tv_usec) / 1e3 }
}
