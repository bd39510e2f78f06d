import Synchronization

/// The report in progress: tasks write to it from any thread.
final class LaunchLog: Sendable {
  private let state: Mutex<LaunchReport>

  init(_ plan: LaunchPlan) {
    state = Mutex(
      LaunchReport(
        entries: plan.tasks.map {
          LaunchReport.Entry(name: $0.name, stage: $0.stage, outcome: .pending)
        }, dependencies: plan.graph.dependencies))
  }

  var report: LaunchReport { state.withLock { $0 } }

  func begin(_ task: Int, at time: Duration) {
    state.withLock { $0.entries[task].start = time }
  }

  func end(_ task: Int, at time: Duration, _ outcome: LaunchReport.Outcome) {
    state.withLock {
      if let start = $0.entries[task].start { $0.entries[task].duration = time - start }
      $0.entries[task].outcome = outcome
    }
  }

  func ready(at time: Duration) {
    state.withLock { $0.readyAfter = time }
  }
}
