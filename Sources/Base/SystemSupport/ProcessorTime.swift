import Glibc

extension rusage {
  /// Milliseconds that processors worked for a process, in it and in the kernel.
  package var cpuTime: Double { ru_utime.milliseconds + ru_stime.milliseconds }
}

extension timeval {
  fileprivate var milliseconds: Double { Double(tv_sec) * 1e3 + Double(tv_usec) / 1e3 }
}
