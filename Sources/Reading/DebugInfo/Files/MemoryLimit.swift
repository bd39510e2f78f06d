import CElfutils
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// A limit on the memory that this process takes to read debug information, for a command that reads files in
/// its own process: beyond it the process ends with one line and `exitCode`. libdw ends a process that has no
/// memory in any case; without a limit the machine would run out of it first.
///
/// `DebugInfoLimits` stops what is known to grow out of proportion. This is for the rest.
package enum MemoryLimit {
  /// The exit code: the file is not what it should be (EX_DATAERR).
  package static let exitCode = Failure.Kind.data.rawValue

  /// What honest files stay below: the debug information of firstlightd, 60 MB of sections, takes 180 MB.
  private static let base = 512 << 20
  private static let timesSections = 16

  private struct State {
    var isEnabled = false
    /// How many threads read debug information.
    var users = 0
    var before = rlimit()
  }

  private static let state = Mutex(State())
  /// Where the line is, ready to be written when there is no memory to make it; of the file that was last
  /// begun. 0: there is no limit.
  private static let line = Atomic<UInt>(0)

  /// Turns the limit on, for the rest of the process.
  package static func enable() { state.withLock { $0.isEnabled = true } }

  /// Does `body`, which reads a file's debug information, within the limit. `RLIMIT_DATA` counts heap and
  /// private mappings of the whole process; it is as it was when `body` ends, so programs that are started
  /// later don't inherit it.
  static func bound<Result, Problem>(
    _ file: ELFFile, _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    guard begin(file) else { return try body() }
    defer { end() }
    return try body()
  }

  /// False if there is no limit.
  private static func begin(_ file: ELFFile) -> Bool {
    state.withLock { state in
      guard state.isEnabled, let taken = takenMemory() else { return false }
      var limit = rlimit()
      guard getrlimit(resource, &limit) == 0 else { return false }
      if state.users == 0 { state.before = limit }
      state.users += 1
      let sections = file.sections.lazy.filter { !$0.isAllocated && $0.hasContents }
      let size = sections.reduce(0) { $0 &+ Int(clamping: $1.size) }
      let wanted = rlim_t(taken + base + min(size, file.file.bytes.count) * timesSections)
      if state.users == 1 || limit.rlim_cur < wanted {
        limit.rlim_cur = min(wanted, state.before.rlim_cur)
        setrlimit(resource, &limit)
      }
      let text =
        "firstlight: error: \(file.path): its debug information takes more memory than "
        + "\((Int(clamping: limit.rlim_cur) - taken) >> 20) MB; "
        + "use a copy without it (llvm-strip -g -o COPY)\n"
      // A line that another thread may be writing is left to it.
      line.store(UInt(bitPattern: strdup(text)), ordering: .releasing)
      return true
    }
  }

  /// Allows for another file that debug information is read from, within `bound`.
  static func extend(by file: ELFFile) {
    state.withLock { state in
      var limit = rlimit()
      guard state.users > 0, getrlimit(resource, &limit) == 0 else { return }
      let wanted = limit.rlim_cur.addingReportingOverflow(
        rlim_t(file.file.bytes.count * timesSections))
      limit.rlim_cur = min(wanted.overflow ? .max : wanted.partialValue, state.before.rlim_cur)
      setrlimit(resource, &limit)
    }
  }

  private static func end() {
    state.withLock { state in
      state.users -= 1
      if state.users == 0 { setrlimit(resource, &state.before) }
    }
  }

  private static let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)

  /// Bytes that count against the limit now (proc(5), statm: data and stack); nil if the kernel doesn't say.
  private static func takenMemory() -> Int? {
    let words = (ProcFile.text("/proc/self/statm") ?? "").split(separator: " ")
    return words.count > 5 ? Int(words[5]).map { $0 * Int(HostInfo.pageSize) } : nil
  }

  /// Lets libdw end the process our way, if there is a limit.
  static func handle(_ dwarf: OpaquePointer) {
    guard line.load(ordering: .acquiring) != 0 else { return }
    _ = dwarf_new_oom_handler(dwarf) { MemoryLimit.exitNow() }
  }

  /// Ends the process if libdw's last error was that it got no memory: some of its functions fail then, as if
  /// the file were damaged.
  static func checkLibraryError() {
    guard line.load(ordering: .acquiring) != 0, let text = dwarf_errmsg(-1),
      strcmp(text, "out of memory") == 0
    else { return }
    exitNow()
  }

  private static func exitNow() -> Never {
    if let text = UnsafePointer<CChar>(bitPattern: line.load(ordering: .acquiring)) {
      _ = write(STDERR_FILENO, text, strlen(text))
    }
    _exit(exitCode)
  }
}
