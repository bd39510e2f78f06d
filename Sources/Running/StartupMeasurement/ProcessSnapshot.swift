import FirstlightLauncher
import FirstlightModel
import Glibc
import StartupReport
import SystemSupport

/// The kernel's figures on a stopped process's memory and faults (proc(5)).
package enum ProcessSnapshot {
  /// Nil if the process is gone or its memory is.
  package static func values(of pid: pid_t) -> [StartupMetric: Double]? {
    guard let maps = ProcFile.text("/proc/\(pid)/smaps"), let stat = ProcessStat(of: pid) else {
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

  /// For each page of a file whether the process has it in its page table, or had and it is
  /// swapped out (pagemap(5)); private copies count.
  package static func mappedPages(of pid: pid_t, path: String, pageCount: Int) -> [Bool] {
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

/// Makes each page of a binary a mapping of its own, in a program that stands right after its exec.
///
/// Where a program touches a page, the kernel maps those around it too, as far as the mapping goes
/// (fault-around, 64 KiB). With mappings of one page the page table shows what was touched, and
/// nothing else.
enum SplitMappings {
  /// - Returns: whether that could be done: it needs a processor known to the launcher, and the
  ///   kernel allows a process only so many mappings.
  static func make(in pid: pid_t, of binary: MeasuredBinary) -> Bool {
    let page = UInt64(HostInfo.pageSize)
    let mappings = ProcessMapping.all(of: "\(pid)")
    let own = mappings.filter { $0.path == binary.cache.path }
    let pages = own.reduce(0) { $0 + ($1.range.upperBound - $1.range.lowerBound) / page }
    guard pages > 0, pages <= mostMappings, let instruction = systemCall(in: mappings, of: pid)
    else { return false }
    for mapping in own {
      // Every other page is to be left out of core dumps: neighbours that differ in something are
      // mappings apart, and this means nothing to the program.
      for address in stride(
        from: mapping.range.lowerBound, to: mapping.range.upperBound, by: Int(2 * page))
      where fl_trace_advise(pid, instruction, address, page, MADV_DONTDUMP) != 0 {
        return false
      }
    }
    return true
  }

  /// Below vm.max_map_count as it comes (65,530), with room for the program's own.
  private static let mostMappings: UInt64 = 60000

  /// Address of a system call instruction in the vDSO, which every process has mapped and which
  /// belongs to no file.
  private static func systemCall(in mappings: [ProcessMapping], of pid: pid_t) -> UInt64? {
    guard fl_syscall_instruction_size > 0,
      let vdso = mappings.first(where: { $0.path == "[vdso]" })
    else { return nil }
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { return nil }
    defer { close(memory) }
    var code = [UInt8](
      repeating: 0, count: Int(min(vdso.range.upperBound - vdso.range.lowerBound, 65536)))
    let count = pread(memory, &code, code.count, Int(vdso.range.lowerBound))
    let wanted = withUnsafeBytes(of: fl_syscall_instruction) {
      Array($0.prefix(Int(fl_syscall_instruction_size)))
    }
    guard count > wanted.count else { return nil }
    for start in 0...(count - wanted.count) where code[start...].starts(with: wanted) {
      return vdso.range.lowerBound + UInt64(start)
    }
    return nil
  }
}
