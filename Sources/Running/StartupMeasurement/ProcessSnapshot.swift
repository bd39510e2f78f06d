import FirstlightModel
import Glibc
import StartupComparison
import SystemSupport

/// What the kernel says of a stopped process's memory and faults (proc(5)).
package enum ProcessSnapshot {
  /// Nil if the process is gone or its memory is.
  package static func values(of pid: pid_t) -> [StartupMetric: Double]? {
    guard let maps = ProcFile.text("/proc/\(pid)/smaps"),
      let stat = ProcFile.text("/proc/\(pid)/stat"), let name = stat.lastIndex(of: ")")
    else { return nil }
    // Behind the name come the fields from the third on; faults are the tenth and the twelfth.
    let fields = stat[stat.index(after: name)...].split(separator: " ")
    guard fields.count > 9, let minor = Double(fields[7]), let major = Double(fields[9])
    else { return nil }
    let memory = Memory(maps)
    guard memory.all > 0 else { return nil }
    var values: [StartupMetric: Double] = [
      .minorFaults: minor, .majorFaults: major, .rss: Double(memory.all),
      .rssAnonymous: Double(memory.anonymous), .rssShared: Double(memory.shared),
      .rssFile: Double(memory.all - memory.anonymous - memory.shared),
    ]
    values[.cpuTime] = cpuTime(of: pid)
    return values
  }

  /// Milliseconds, of threads that have ended too (clock_getcpuclockid(3)).
  private static func cpuTime(of pid: pid_t) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      return nil
    }
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  /// What a process has in memory, KiB.
  ///
  /// The kernel's own sum of shared memory (`RssShmem`) counts files on tmpfs, and a program may well
  /// lie there.
  private struct Memory {
    var all = 0
    var anonymous = 0
    var shared = 0

    init(_ maps: String) {
      var isShared = false
      for line in maps.split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 5)
        let kilobytes = words.count > 1 ? Int(words[1]) : nil
        switch (words.first, kilobytes) {
        case ("Rss:", let kilobytes?):
          all += kilobytes
          if isShared { shared += kilobytes }
        case ("Anonymous:", let kilobytes?):
          anonymous += kilobytes
          if isShared { shared -= kilobytes }
        case (let first?, _) where first.last != ":":
          // A mapping's own line: address, rights, offset, device, inode, and what it is of.
          isShared =
            words.count == 6 && Self.isShared(words[5].drop { $0 == " " }, rights: words[1])
        default: break
        }
      }
    }

    private static func isShared(_ name: Substring, rights: Substring) -> Bool {
      name.hasPrefix("/dev/shm/")
        ? rights.hasSuffix("s")
        : ["/memfd:", "/SYSV", "/dev/zero"].contains { name.hasPrefix($0) }
    }
  }

  package struct Mapping {
    package var range: Range<UInt64>
    package var offset: UInt64
    package var inode: UInt64
    package var isWritable: Bool
    package var path: String
  }

  package static func mappings(of pid: String) -> [Mapping] {
    guard let text = ProcFile.text("/proc/\(pid)/maps") else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard words.count >= 5, let inode = UInt64(words[4]),
        let offset = UInt64(words[2], radix: 16), let dash = words[0].firstIndex(of: "-"),
        let start = UInt64(words[0][..<dash], radix: 16),
        let end = UInt64(words[0][words[0].index(after: dash)...], radix: 16), start < end
      else { return nil }
      let path = words.count > 5 ? String(words[5].drop { $0 == " " }) : ""
      return Mapping(
        range: start..<end, offset: offset, inode: inode,
        isWritable: words[1].contains("w"), path: path)
    }
  }

  /// Regular files that a process has mapped, each once.
  package static func mappedFiles(of pid: String) -> [String] {
    var seen: Set<String> = []
    return mappings(of: pid).filter { $0.inode != 0 && $0.path.hasPrefix("/") }.map(\.path)
      .filter { seen.insert($0).inserted && access($0, R_OK) == 0 }
  }

  /// For each page of a file whether the process has it in its page table, or had and it is
  /// swapped out (pagemap(5)); private copies count.
  package static func mappedPages(of pid: pid_t, path: String, pageCount: Int) -> [Bool] {
    var touched = [Bool](repeating: false, count: pageCount)
    let file = open("/proc/\(pid)/pagemap", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return touched }
    defer { close(file) }
    for mapping in mappings(of: "\(pid)") where mapping.path == path {
      let count = Int((mapping.range.upperBound - mapping.range.lowerBound) / 4096)
      var entries = [UInt64](repeating: 0, count: count)
      let read = pread(file, &entries, count * 8, Int(mapping.range.lowerBound / 4096 * 8))
      for index in 0..<max(0, read / 8) where entries[index] >> 62 != 0 {
        let page = Int(mapping.offset / 4096) + index
        if page < pageCount { touched[page] = true }
      }
    }
    return touched
  }
}
