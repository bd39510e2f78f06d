import FirstlightModel
import Glibc
import SystemSupport

/// The living processes that are watched through the kernel's probes, each with the files of its recording.
struct WatchedProcesses {
  struct Member {
    let writer: ProcessWriter
    let path: String
    /// Clock ticks since boot; 0 if it had ended before anything else was known.
    let start: UInt64
    let isLate: Bool
    /// Whether its loader may be at work: it was found in /proc, and not before the watch.
    var isLoading: Bool
  }

  /// A file with watched functions.
  struct Program {
    let path: String
    let image: Int
  }

  /// By pid; a pid that the kernel gave again has its last process here.
  private(set) var living: [UInt32: Member] = [:]
  /// Processes that could not be written down and that no recording counts, and the first reason.
  private(set) var missing = (processes: 0, reason: "")
  /// Those that could not be written down; a process has many events.
  private var unwritten: Set<UInt32> = []
  private let folder: WatchFolder
  private let startedAt = (
    monotonic: UInt64(Clock.monotonic() * 1e9), realtime: UInt64(Clock.realtime() * 1e9)
  )

  init(_ folder: WatchFolder) { self.folder = folder }

  /// Notes that a process has reached the first instruction of a program.
  mutating func started(_ pid: UInt32, at time: UInt64, _ program: Program) -> Member? {
    // A process that executed its program again, with other arguments, was another process until then.
    if var known = living[pid], known.isLoading, known.writer.sequence == 0,
      known.path == program.path, known.writer.origin.command == Self.command(of: pid)
    {
      known.writer.sawStart()
      known.isLoading = false
      living[pid] = known
      return known
    }
    retire(pid, at: time)
    return add(pid, program.path, clock: clock(time), forkedFrom: nil, isLate: false)
  }

  /// A process that runs or has called functions of a file, though its start was not seen: one from before the watch,
  /// or a forked one.
  ///
  /// - Parameter isLoading: whether its first instruction may be yet to come.
  mutating func found(
    _ pid: UInt32, _ path: String, before time: UInt64 = .max, isLoading: Bool = false
  ) -> Member? {
    if let known = living[pid] { return known }
    let parent = ProcessStat(of: pid).flatMap { living[UInt32($0.parent)] }
    let begun = clock(ofTicks: LiveProcess(pid)?.startTime ?? 0)
    return add(
      pid, path, clock: time < begun.monotonic ? clock(time) : begun,
      forkedFrom: parent.map { ($0.writer.id, $0.writer.sequence) },
      isLate: parent?.isLate ?? true, isLoading: isLoading,
      isOldFork: begun.monotonic <= startedAt.monotonic)
  }

  /// Counts processes that are missing in the recordings: in that of another, if one lives.
  mutating func addMissing(_ count: Int, _ reason: String) {
    if missing.reason.isEmpty { missing.reason = reason }
    missing.processes += count
    tellMissing()
  }

  private mutating func tellMissing() {
    guard missing.processes > 0, let member = living.values.first else { return }
    member.writer.addUnrecorded(missing.processes)
    missing.processes = 0
  }

  private static func command(of pid: UInt32) -> [UInt8] {
    ProcFile.bytes(LiveProcess.folder(of: pid) + "/cmdline") ?? []
  }

  /// Ends the recordings of processes.
  mutating func retire(_ pid: UInt32, at time: UInt64) {
    living.removeValue(forKey: pid)?.writer.end(at: time)
  }

  mutating func retireAll(at time: UInt64) { for pid in living.keys { retire(pid, at: time) } }

  /// Leaves the recordings as if the watcher were killed: they are incomplete.
  mutating func abandonAll() { living = [:] }

  private mutating func add(
    _ pid: UInt32, _ path: String, clock: (monotonic: UInt64, realtime: UInt64),
    forkedFrom: (process: ProcessID, sequence: UInt32)?, isLate: Bool, isLoading: Bool = false,
    isOldFork: Bool = false
  ) -> Member? {
    let start = LiveProcess(pid)?.startTime ?? 0
    do throws(Failure) {
      let writer = try ProcessWriter(
        ProcessWriter.Origin(
          pid: pid, parent: ProcessStat(of: pid).map { UInt32($0.parent) } ?? 0, start: start,
          clock: clock, forkedFrom: forkedFrom, isLate: isLate, engine: .probes,
          path: Array(path.utf8),
          command: Self.command(of: pid), isOldFork: isOldFork), in: folder)
      let member = Member(
        writer: writer, path: path, start: start, isLate: isLate, isLoading: isLoading)
      living[pid] = member
      unwritten.remove(pid)
      tellMissing()
      return member
    } catch {
      if unwritten.insert(pid).inserted { addMissing(1, "\(error)") }
      return nil
    }
  }

  /// Both clocks at a time of the monotonic one.
  private func clock(_ time: UInt64) -> (monotonic: UInt64, realtime: UInt64) {
    time >= startedAt.monotonic
      ? (time, startedAt.realtime + (time - startedAt.monotonic)) : startedAt
  }

  /// The start of a process, or of the watch if that was later.
  ///
  /// - Parameter ticks: since boot; 0: unknown.
  private func clock(ofTicks ticks: UInt64) -> (monotonic: UInt64, realtime: UInt64) {
    // The monotonic clock counts from the boot, too, but not while the machine sleeps.
    let asleep = UInt64(max(0, Clock.sinceBoot() - Clock.monotonic()) * 1e9)
    let began = ticks * UInt64(1_000_000_000 / sysconf(Int32(_SC_CLK_TCK)))
    return clock(began > asleep ? began - asleep : 0)
  }
}
