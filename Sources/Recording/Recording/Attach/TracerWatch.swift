import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Watches processes through breakpoints of a tracer, where the kernel's probes are not allowed.
///
/// If the tracer's process is killed, the breakpoints stay, and end the programs.
struct TracerWatch: AttachWatch {
  private let launch: BreakpointLaunch
  private let processes: [pid_t]
  private let budget: AttachBudget?
  /// The functions of each file from this one on are not watched yet.
  private var watched = slice
  private var isPending: Bool

  /// The number of functions of each file that are added at a time under a budget.
  private static let slice = 128

  init(
    _ target: AttachTarget, globs: [String], budget: Double?, into folder: WatchFolder
  ) throws(Failure) {
    processes = try target.processes()
    if case .file(let path) = target, processes.isEmpty {
      throw Failure(
        .noInput, "no process runs \(path)",
        advice: "start it first; without --ptrace, it is watched from its start")
    }
    for pid in processes { try Self.check(pid) }
    self.budget = budget.map { AttachBudget($0) }
    isPending = budget != nil
    launch = BreakpointLaunch(globs: globs, slice: budget == nil ? 0 : UInt32(Self.slice))
    launch.record(into: folder)
    for pid in processes {
      do throws(Failure) { try launch.attach(to: pid) } catch {
        launch.finish()
        throw error
      }
    }
    guard functionCount > 0 else {
      launch.finish()
      throw Failure(
        .data,
        "nothing to watch: \(images.problems.first ?? "no program has known functions")",
        advice: "keep the program's symbols, or put its debug file beside it")
    }
  }

  var paths: [String] { launch.watched.map(\.path) }
  var functionCount: Int { launch.watched.reduce(0) { $0 + $1.addresses.count } }
  var pageCount: Int { launch.watched.reduce(0) { $0 + $1.pageCount } }
  var processCount: Int { processes.count }

  var cost: AttachCost {
    let cost = launch.cost
    let waking = Double(cost.stops) * Self.waking
    return AttachCost(
      hits: cost.stops, stopped: Double(cost.total) / 1e9 + waking,
      longest: Double(cost.longest) / 1e9)
  }

  /// Seconds for a stop to wake the tracer, and for the tracer to wake the thread, as measured on x86-64.
  private static let waking = 1e-5

  /// Refuses processes that a tracer would disturb.
  private static func check(_ pid: pid_t) throws(Failure) {
    guard let process = LiveProcess(pid), let stat = ProcessStat(of: pid) else {
      throw Failure(.noInput, "process \(pid) has ended")
    }
    guard !process.hasLostItsFirstTask else {
      throw Failure(
        .unavailable,
        "process \(pid) cannot be traced: its main thread has ended, and others go on",
        advice: "leave out --ptrace, or record it from its start with --no-rebuild")
    }
    guard stat.state != "T" else {
      throw Failure(
        .unavailable, "process \(pid) is stopped", advice: "let it go on: kill -CONT \(pid)")
    }
    let mappings = ProcessMapping.all(of: "\(pid)")
    if let changer = MappedCode.changer(among: mappings) {
      throw MappedCode.refusal(of: changer, in: pid)
    }
    let program = FilePlace("/proc/\(pid)/exe")
    if mappings.contains(where: {
      $0.isExecutable && $0.isShared && $0.inode == program?.inode
    }) {
      throw Failure(
        .unavailable,
        "process \(pid) shares its code with its file (MAP_SHARED), which breakpoints would change",
        advice: "without --ptrace, functions elsewhere in it are watched")
    }
    let tracer = ProcFile.line(of: "/proc/\(pid)/status", beginning: "TracerPid:")?
      .split(at: "\t").last.flatMap { Int($0) }
    guard let tracer, tracer != 0 else { return }
    throw Failure(
      .unavailable, "process \(pid) is traced already, by process \(tracer)",
      advice: "end that debugger first")
  }

  mutating func run(for seconds: Double?, _ signals: SignalWait) throws(Failure) -> Bool {
    let end = seconds.map { Clock.monotonic() + $0 }
    while true {
      _ = launch.end()
      guard launch.isLiving else { return false }
      if isPending, budget?.allows(cost) != false {
        isPending = launch.watchNext(Self.slice)
        watched += Self.slice
      }
      let pause = isPending ? Clock.monotonic() + Self.pause : .infinity
      switch signals.next(until: isPending ? min(pause, end ?? pause) : end) {
      case .signal(let signal, _) where EndingSignals.all.contains(signal): return false
      case .signal, .nothing: break
      case .timeIsOver where end.map({ Clock.monotonic() < $0 }) ?? true: break
      case .timeIsOver: return true
      }
    }
  }

  /// Seconds between additions of functions.
  private static let pause = 0.01

  mutating func finish(inOrder: Bool) {
    if isPending { launch.leaveOut(from: watched) }
    launch.finish(inOrder: inOrder)
  }

  var images: BreakpointImages { launch.images }
  var missing: (processes: Int, problems: [String]) { launch.missing }
}
