import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Watches processes through breakpoints of a tracer, where the kernel's probes are not allowed.
///
/// If this process is killed, the breakpoints stay, and end the programs.
struct TracerWatch: AttachWatch {
  private let launch: BreakpointLaunch
  private let processes: [pid_t]
  private(set) var cost = AttachCost()

  init(_ target: AttachTarget, globs: [String]) throws(Failure) {
    processes = try target.processes()
    for pid in processes { try Self.check(pid) }
    launch = BreakpointLaunch(globs: globs)
    for pid in processes {
      let seconds: Double
      do throws(Failure) { seconds = try launch.attach(to: pid) } catch {
        launch.finish()
        throw error
      }
      cost = cost + AttachCost(stopped: seconds, longest: seconds)
    }
    guard functionCount > 0 else {
      launch.finish()
      throw Failure(
        .data,
        "nothing to watch: \(launch.recording().images.problems.first ?? "no program has known functions")",
        advice: "keep the program's symbols, or put its debug file beside it")
    }
  }

  var paths: [String] { launch.watched.paths }
  var functionCount: Int { launch.watched.functions }
  var processCount: Int { processes.count }

  /// Refuses processes that a tracer would disturb.
  private static func check(_ pid: pid_t) throws(Failure) {
    guard let stat = ProcessStat(of: pid) else {
      throw Failure(.noInput, "process \(pid) has ended")
    }
    guard stat.state != "T" else {
      throw Failure(
        .unavailable, "process \(pid) is stopped", advice: "let it go on: kill -CONT \(pid)")
    }
    let tracer = ProcFile.line(of: "/proc/\(pid)/status", beginning: "TracerPid:")?
      .split(separator: "\t").last.flatMap { Int($0) }
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
      switch signals.next(until: end) {
      case .signal(let signal, _) where EndingSignals.all.contains(signal): return false
      case .signal, .nothing: break
      case .timeIsOver: return true
      }
    }
  }

  mutating func finish() -> BreakpointRecording {
    launch.finish()
    var recording = launch.recording()
    // Processes that go on are no loss: the window has ended.
    for index in recording.traces.indices { recording.traces[index].losses.runningProcesses = 0 }
    return recording
  }
}
