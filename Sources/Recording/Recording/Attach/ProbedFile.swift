import FirstlightModel
import FirstlightProbes
import Glibc
import ProcessControl
import SystemSupport

/// One file whose functions the kernel watches, in all processes.
///
/// A link to the kernel watches a fixed set of functions. So that a function costs only once, a new link
/// without the called ones takes the place of the old one.
final class ProbedFile {
  let file: OpenFile
  /// Index in `BreakpointImages.entries`.
  let image: Int
  private let probes: OpaquePointer
  private let calls: UnsafePointer<fl_probe_call>
  /// The watched functions that were not called yet, by link.
  private var groups: [[UInt32]] = []
  /// The functions of further links.
  private var pending: ArraySlice<[UInt32]>
  /// Functions that cannot be watched.
  private(set) var refused: Set<UInt32>
  /// The functions that can be watched, by their places in the file.
  private let places: [(place: UInt64, function: UInt32)]
  /// Whether the code of the processes was compared with the file.
  private(set) var isCompared = false
  /// When the last link was made, as `fl_probe_call.time`; `.max`: some are pending.
  private(set) var watchedSince = UInt64.max

  /// - Parameters:
  ///   - offsets: the place in the file of each function; nil: not in the file.
  ///   - start: the program's first instruction: its place in the file, and its function if that is watched; nil: a
  ///     library, or unknown.
  ///   - process: the only one to watch; nil: all.
  init(
    _ file: OpenFile, image: Int, offsets: [UInt64?], start: Start?, process: pid_t?
  ) throws(Failure) {
    self.file = file
    self.image = image
    refused = Set(offsets.indices.filter { offsets[$0] == nil }.map { UInt32($0) })
    places = offsets.enumerated().compactMap { index, place in place.map { ($0, UInt32(index)) } }
      .sorted { $0.place < $1.place }
    let count = places.count
    let size = max(Self.smallestLink, count / Self.mostLinks)
    let made = offsets.map { $0 ?? 0 }.withUnsafeBufferPointer {
      fl_probes_make(
        file.link, process ?? 0, $0.baseAddress!, UInt32($0.count), UInt32(count / size + 1))
    }
    guard let made else { throw KernelEngine.failure(errno) }
    probes = made
    calls = UnsafePointer(fl_probes_calls(made))
    // Without it, processes are still found in /proc and by their calls.
    self.start = start.flatMap { fl_probes_watch_starts(made, $0.place) == 0 ? $0 : nil }
    // A second probe at the first instruction would show a call before the start.
    let first = self.start?.function
    let watched = offsets.indices.map { UInt32($0) }.filter {
      offsets[Int($0)] != nil && $0 != first
    }
    let sets = stride(from: 0, to: watched.count, by: size).map {
      Array(watched[$0..<min($0 + size, watched.count)])
    }
    pending = sets[...]
  }

  typealias Start = (place: UInt64, function: UInt32?)

  /// Nil if the starts of processes are not seen.
  private let start: Start?

  deinit { fl_probes_free(probes) }

  /// Links are small, because threads that meet a probe wait while the kernel makes one. Their number has a limit,
  /// because each takes a descriptor.
  private static let smallestLink = 128
  private static let mostLinks = 256

  /// The first call of a function; nil if there was none.
  func call(_ function: Int) -> fl_probe_call? {
    // The kernel writes the time last.
    let call = calls[function]
    return call.caller != 0 && call.time != 0 ? call : nil
  }

  var cost: AttachCost {
    let hits = fl_probes_hits(probes)
    return AttachCost(
      hits: hits, stopped: Double(hits) * Self.stop,
      longest: Double(fl_probes_longest(probes)) / 1e9)
  }

  /// Seconds that a stop takes, as measured on x86-64.
  private static let stop = 1.5e-6

  /// The number of functions that are watched, or will be.
  var watchedCount: Int { places.count { !refused.contains($0.function) } }

  /// A stop that the kernel has written down.
  struct Event {
    let process: UInt32
    let thread: UInt32
    var time: UInt64
    let image: Int
    /// Nil at a first instruction that is in no watched function.
    let function: UInt32?
    /// Whether it is the process's first.
    var isStart = false
  }

  /// The starts of processes so far, and how many were overwritten before they were read.
  private var starts = (read: UInt64(0), lost: UInt64(0))

  /// Adds the starts of processes since the last call.
  ///
  /// - Returns: the number that was lost meanwhile.
  func takeStarts(_ events: inout [Event]) -> UInt64 {
    guard let start else { return 0 }
    let size = UInt64(FL_PROBE_STARTS)
    let count = fl_probes_start_count(probes)
    let lost = count - starts.read > size ? count - starts.read - size : 0
    starts.read += lost
    let ring = UnsafePointer(fl_probes_starts(probes))
    while starts.read < count {
      let seen = ring[Int(starts.read % size)]
      // The kernel writes the number last; it may be at work on this start.
      guard seen.number == starts.read + 1 else { break }
      events.append(
        Event(
          process: UInt32(seen.caller >> 32), thread: UInt32(truncatingIfNeeded: seen.caller),
          time: seen.time, image: image, function: start.function, isStart: true))
      starts.read += 1
    }
    return lost
  }

  /// Whether some functions are not watched yet.
  var isPending: Bool { !pending.isEmpty }

  /// The functions without a probe: those that the kernel refuses, and those whose turn did not come.
  var unseen: Set<UInt32> { refused.union(pending.joined()) }

  /// Refuses a function whose first call was seen, but not recorded: its probe is spent.
  func refuse(_ function: UInt32) { refused.insert(function) }

  /// Refuses functions whose code in some process is not the file's: the kernel would put breakpoints into whatever is
  /// there, and run the file's instructions. Call once, before the first probe.
  ///
  /// - Returns: whether functions are left.
  func refuseForeignCode(in processes: [UInt32]) -> Bool {
    guard !isCompared else { return true }
    isCompared = true
    for process in processes {
      let foreign = MappedCode.missing(places, of: file, in: process, unless: MappedCode.isSame)
      guard let foreign, !foreign.isSubset(of: refused) else { continue }
      refused.formUnion(foreign)
      report(foreign, in: process, "their code there is not the file's")
    }
    pending = pending.map { $0.filter { !refused.contains($0) } }[...]
    return pending.contains { !$0.isEmpty }
  }

  /// The functions without a probe in some process, which may have called them unseen.
  func missingProbes(in processes: [UInt32]) -> [UInt32: Set<UInt32>] {
    var found: [UInt32: Set<UInt32>] = [:]
    let uncalled = places.filter {
      !refused.contains($0.function) && $0.function != start?.function
        && call(Int($0.function)) == nil
    }
    let waiting = Set(pending.joined())
    for process in processes {
      let missing = MappedCode.missing(uncalled, of: file, in: process) { memory, _ in
        MappedCode.hasProbe(memory)
      }
      // Other processes may call functions meanwhile, and the probes of called functions are removed.
      guard let lost = missing?.subtracting(waiting).filter({ call(Int($0)) == nil }),
        !lost.isSubset(of: refused)
      else { continue }
      found[process] = lost
      report(lost, in: process, "it has changed or moved its code")
    }
    return found
  }

  private func report(_ functions: Set<UInt32>, in process: UInt32, _ reason: String) {
    Terminal.report(
      "warning: \(file.path): \(CountText.text(functions.count, "function")) cannot be watched in process "
        + "\(process): \(reason)")
  }

  /// Begins to watch the functions of the next link.
  ///
  /// - Throws: `.unavailable` or `.system` if the kernel refuses.
  func addGroup() throws(Failure) {
    guard let next = pending.popFirst() else { return }
    groups.append([])
    try replace(groups.count - 1, by: next)
    if pending.isEmpty { watchedSince = UInt64(Clock.monotonic() * 1e9) }
  }

  /// Adds the first calls since the last time, and removes the probes of their functions.
  func takeCalls(_ events: inout [Event]) throws(Failure) {
    for index in groups.indices {
      var waiting: [UInt32] = []
      for function in groups[index] {
        guard let call = call(Int(function)) else {
          waiting.append(function)
          continue
        }
        events.append(
          Event(
            process: UInt32(call.caller >> 32), thread: UInt32(truncatingIfNeeded: call.caller),
            time: call.time, image: image, function: function))
      }
      if waiting.count < groups[index].count { try replace(index, by: waiting) }
    }
  }

  private func replace(_ group: Int, by functions: [UInt32]) throws(Failure) {
    groups[group] = try watch(functions, UInt32(group))
  }

  /// Watches functions, without those whose first instruction the kernel cannot watch: a link with one of
  /// them is refused as a whole.
  private func watch(_ functions: [UInt32], _ group: UInt32) throws(Failure) -> [UInt32] {
    var watched = functions
    while true {
      let error = fl_probes_watch(probes, group, watched, UInt32(watched.count))
      if try Self.isAccepted(error) { return watched }
      let good = try watchable(watched)
      guard good.count < watched.count else { throw KernelEngine.failure(error) }
      refused.formUnion(Set(watched).subtracting(good))
      watched = good
    }
  }

  /// The functions among these that the kernel can watch. The group stays linked meanwhile, so that no call is missed.
  private func watchable(_ functions: [UInt32]) throws(Failure) -> [UInt32] {
    if try Self.isAccepted(fl_probes_test(probes, functions, UInt32(functions.count))) {
      return functions
    }
    guard functions.count > 1 else { return [] }
    let half = functions.count / 2
    return try watchable(Array(functions[..<half])) + watchable(Array(functions[half...]))
  }

  /// - Throws: if the kernel refused something else than an instruction.
  private static func isAccepted(_ error: Int32) throws(Failure) -> Bool {
    // ESRCH: the only process to watch has ended.
    if error == 0 || error == ESRCH { return true }
    guard [EINVAL, EOPNOTSUPP, notSupported].contains(error) else {
      throw KernelEngine.failure(error)
    }
    return false
  }

  /// The kernel's ENOTSUPP, which no C library defines.
  private static let notSupported: Int32 = 524

  /// Ends the watch of this file.
  func finish() {
    for group in groups.indices { fl_probes_watch(probes, UInt32(group), [], 0) }
    fl_probes_settle()
  }
}
