import FirstlightModel
import Glibc
import SystemSupport

/// The kernel's figures about a stopped process's memory and faults (proc(5)).
enum ProcessSnapshot {
  /// Nil if the process or its memory is gone.
  static func values(of pid: pid_t) -> [StartupMetric: Double]? {
    guard let maps = ProcFile.text(LiveProcess.folder(of: pid) + "/smaps"),
      let stat = ProcessStat(of: pid)
    else {
      return nil
    }
    let memory = Memory(maps)
    guard memory.all > 0 else { return nil }
    var values: [StartupMetric: Double] = [
      .minorFaults: Double(stat.minorFaults), .majorFaults: Double(stat.majorFaults),
      .rss: Double(memory.all),
      .rssAnonymous: Double(memory.anonymous), .rssShared: Double(memory.shared),
      .rssFile: Double(memory.all - memory.anonymous - memory.shared),
    ]
    values[.cpuTime] = cpuTime(of: pid)
    return values
  }

  /// Milliseconds of all threads, ended ones included (clock_getcpuclockid(3)).
  static func cpuTime(of pid: pid_t) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      return nil
    }
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  /// The memory of a process, KiB.
  ///
  /// The kernel's own sum of shared memory (`RssShmem`) includes files on tmpfs, where a program's own file may
  /// be.
  private struct Memory {
    var all = 0
    var anonymous = 0
    var shared = 0

    init(_ maps: String) {
      var isShared = false
      for line in maps.split(at: "\n") {
        let words = line.split(at: " ", maxSplits: 5)
        let kilobytes = words.count > 1 ? Int(words[1]) : nil
        switch (words.first, kilobytes) {
        case ("Rss:", let kilobytes?):
          all += kilobytes
          if isShared { shared += kilobytes }
        case ("Anonymous:", let kilobytes?):
          anonymous += kilobytes
          if isShared { shared -= kilobytes }
        case (let first?, _) where first.last != ":":
          // The first line of a mapping: address, permissions, offset, device, inode, and name.
          isShared =
            words.count == 6 && Self.isShared(words[5].drop(any: " "), rights: words[1])
        default: break
        }
      }
    }

    private static func isShared(_ name: Substring, rights: Substring) -> Bool {
      name.begins(with: "/dev/shm/")
        ? rights.ends(with: "s")
        : ["/memfd:", "/SYSV", "/dev/zero"].contains { name.begins(with: $0) }
    }
  }

  /// For each page of a file: whether the process has it mapped or swapped out (pagemap(5)). Private copies
  /// count, too.
  static func mappedPages(of pid: pid_t, path: String, pageCount: Int) -> [Bool] {
    var touched = [Bool](repeating: false, count: pageCount)
    guard let pages = ProcessPages(of: "\(pid)") else { return touched }
    for mapping in ProcessMapping.all(of: "\(pid)") where mapping.path == path {
      let first = Int(mapping.offset / PageSize.reported)
      for (index, entry) in pages.entries(mapping.range).enumerated()
      where entry.isMapped && first + index < pageCount {
        touched[first + index] = true
      }
    }
    return touched
  }
}
