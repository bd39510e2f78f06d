import FirstlightModel
import Glibc
import SystemSupport

/// The processes that run watched programs, from the first look on; ended ones too.
struct WatchedProcesses {
  struct Member {
    let id: ProcessID
    let parent: UInt32
    let path: String
    let arguments: [String]
    /// The files of the process that are watched, by index of their image.
    var images: Set<Int> = []
    /// Times of the process's start, or of the watch's start if that was later, nanoseconds.
    let clockBase: (monotonic: UInt64, realtime: UInt64)
  }

  /// By pid; a pid that the kernel gave again has its last process here.
  private(set) var living: [UInt32: Member] = [:]
  private(set) var ended: [Member] = []
  private let startedAt: (monotonic: UInt64, realtime: UInt64)

  init() {
    startedAt = (UInt64(Clock.monotonic() * 1e9), UInt64(Clock.realtime() * 1e9))
  }

  var all: [Member] { ended + living.values.sorted { $0.id.pid < $1.id.pid } }

  /// Finds the processes that run one of these programs now.
  ///
  /// - Parameter only: the only process to look at; nil: all.
  mutating func look(
    for programs: [FilePlace: (path: String, image: Int)], only: UInt32? = nil
  ) {
    var seen: Set<UInt32> = []
    // Without a free descriptor nothing can be listed, which does not mean that the processes have ended.
    guard let names = try? DirectoryListing.names(in: "/proc") else { return }
    for name in names {
      guard let pid = UInt32(name), only ?? pid == pid,
        let place = RunningProgram.place(of: pid), let program = programs[place]
      else { continue }
      seen.insert(pid)
      guard let start = LiveProcess(pid)?.startTime else { continue }
      if let known = living[pid], known.id.start == start, known.images.contains(program.image) {
        continue
      }
      retire(pid)
      add(pid, start: start, path: program.path, image: program.image)
    }
    for pid in living.keys.filter({ !seen.contains($0) }) { retire(pid) }
  }

  /// Adds a process that only a call has shown: it may have ended already.
  mutating func add(caller pid: UInt32, path: String, image: Int) {
    if living[pid] == nil, !ended.contains(where: { $0.id.pid == pid }) {
      add(pid, start: LiveProcess(pid)?.startTime ?? 0, path: path, image: image)
    }
  }

  mutating func note(image: Int, of pid: UInt32) { living[pid]?.images.insert(image) }

  private mutating func retire(_ pid: UInt32) {
    if let member = living.removeValue(forKey: pid) { ended.append(member) }
  }

  private mutating func add(_ pid: UInt32, start: UInt64, path: String, image: Int) {
    living[pid] = Member(
      id: ProcessID(pid: pid, namespace: 0, start: start, key: .random(in: 0...(.max))),
      parent: ProcessStat(of: pid).map { UInt32($0.parent) } ?? 0, path: path,
      arguments: ProcFile.arguments(ProcFile.bytes(LiveProcess.folder(of: pid) + "/cmdline") ?? []),
      images: [image],
      clockBase: clockBase(start: start))
  }

  /// - Parameter start: clock ticks since boot; 0: unknown.
  private func clockBase(start: UInt64) -> (monotonic: UInt64, realtime: UInt64) {
    // The monotonic clock counts from the boot, too, but not while the machine sleeps.
    let asleep = UInt64(max(0, Clock.sinceBoot() - Clock.monotonic()) * 1e9)
    let began = start * UInt64(1_000_000_000 / sysconf(Int32(_SC_CLK_TCK)))
    guard began > asleep, began - asleep > startedAt.monotonic else { return startedAt }
    let late = began - asleep - startedAt.monotonic
    return (startedAt.monotonic + late, startedAt.realtime + late)
  }
}
