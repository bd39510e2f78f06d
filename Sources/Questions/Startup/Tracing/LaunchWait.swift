import FirstlightTracer
import Glibc
import ProcessControl
import Recording
import SystemSupport

/// Waits until a traced program is ready, has ended, or has taken too long.
struct LaunchWait {
  let tracer: LaunchTracer
  let until: ReadinessCondition
  let timeout: Double
  /// Nil if the tracer reports readiness.
  let watch: ReadinessWatcher?

  /// - Parameter words: reports the condition that the start waits for.
  func outcome(_ words: StartupWait) -> LaunchOutcome {
    var (outcome, words) = (LaunchOutcome(), words)
    let before = Self.childUsage
    let signals = SignalWait(LaunchChildren.watchedSignals)
    var limit = Clock.monotonic() + timeout
    var mayTalk = true
    if case .duration(let seconds) = until {
      limit = Clock.monotonic() + seconds
      mayTalk = false
    }
    while true {
      if let status = tracer.step() {
        let isNews = outcome.status == nil
        outcome.status = status
        if isNews {
          outcome.endedAt = UInt64(Clock.monotonic() * 1e9)
          outcome.faults = Self.faults(since: before)
        }
        if until == .exit || tracer.living == 0 { break }
        // Several processes may have stopped, with a single signal.
        if isNews { continue }
      }
      outcome.reached = tracer.listening ?? watched(outcome)
      if outcome.reached != nil { break }
      let event = signals.next(until: mayTalk ? min(limit, words.next) : limit)
      if case .signal(let signal, _) = event, EndingSignals.all.contains(signal) {
        tracer.signal(SIGKILL)
        LaunchChildren.leave(signal)
      }
      guard case .timeIsOver = event else { continue }
      if Clock.monotonic() < limit {
        words.look(at: livingProcesses)
        continue
      }
      let end = moment(outcome, at: UInt64(limit * 1e9), isTold: true)
      if case .duration = until {
        outcome.reached = end
      } else {
        outcome.givenUp = end
        words.find(livingProcesses)
        outcome.ports = words.ports
      }
      break
    }
    outcome.reached = outcome.reached ?? tracer.listening ?? lastAction(outcome)
    outcome.left = outcome.status == nil ? 0 : tracer.living
    return outcome
  }

  /// The moment, with the program's faults until then, or until its end if it is gone.
  func moment(_ outcome: LaunchOutcome, at time: UInt64, isTold: Bool) -> LaunchOutcome.Moment {
    var moment = LaunchOutcome.Moment(time: time, process: tracer.pid, isTold: isTold)
    if outcome.status != nil, let end = tracer.lastMoment {
      moment.faults = LaunchEventReader.faults(end.faults)
    }
    return moment
  }

  /// The moment of readiness that the watcher saw.
  private func watched(_ outcome: LaunchOutcome) -> LaunchOutcome.Moment? {
    guard let watch, let time = watch.reachedAt else { return nil }
    var moment = moment(outcome, at: UInt64(time * 1e9), isTold: watch.isExact)
    moment.resolution = watch.resolution
    return moment
  }

  /// The moment of readiness, if an ended program wrote the expected line, or answered, among its last actions.
  private func lastAction(_ outcome: LaunchOutcome) -> LaunchOutcome.Moment? {
    guard outcome.status != nil, let watch else { return nil }
    watch.finish()
    guard watch.isExact, let seconds = watch.reachedAt else { return nil }
    let time = UInt64(seconds * 1e9)
    // The action came before the end, even if it was read later.
    return moment(outcome, at: min(time, tracer.lastMoment?.time ?? time), isTold: true)
  }

  /// The processes of the start that may still run.
  private var livingProcesses: [pid_t] {
    Set(tracer.processes.map { pid_t($0.pid) } + [tracer.pid]).sorted()
  }

  /// The resource usage of all ended children.
  private static var childUsage: rusage {
    var usage = rusage()
    getrusage(Self.ofChildren, &usage)
    return usage
  }

  /// RUSAGE_CHILDREN of getrusage(2), which Swift imports with another type.
  private static let ofChildren: Int32 = -1

  private static func faults(since before: rusage) -> LaunchEvents.Faults {
    let now = childUsage
    return LaunchEvents.Faults(
      minor: UInt64(now.ru_minflt - before.ru_minflt),
      major: UInt64(now.ru_majflt - before.ru_majflt))
  }
}
