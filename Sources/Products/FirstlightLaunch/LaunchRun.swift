import Firstlight
import Synchronization

/// One run of a plan.
struct LaunchRun<C: Clock<Duration>>: Sendable {
  let plan: LaunchPlan
  let clock: C
  let start: C.Instant
  let log: LaunchLog
  /// Called for each failed task of a later stage.
  let whenFailed: @Sendable (LaunchReport.Entry) async -> Void

  /// Runs the first stage.
  func becomeReady() async throws {
    if let timeout = plan.timeout {
      let isReady = try await finishes(within: timeout) { try await run(.beforeReady) }
      guard isReady else {
        let waiting = log.report.entries.filter { entry in
          guard entry.stage == .beforeReady else { return false }
          if case .done = entry.outcome { return false }
          return true
        }
        throw LaunchError.notReady(after: timeout, waitingFor: waiting.map(\.name))
      }
    } else {
      try await run(.beforeReady)
    }
    Firstlight.ready()
    log.ready(at: now)
  }

  /// Runs the tasks of the later stages.
  func runDeferred() async throws {
    try await run(.afterReady)
    try await run(.idle)
  }

  private var now: Duration { start.duration(to: clock.now) }

  /// Runs the tasks of one stage, after those of earlier stages.
  private func run(_ stage: LaunchTask.Stage) async throws {
    let width = stage == .idle ? 1 : plan.width
    let graph = plan.graph
    try await withThrowingTaskGroup(of: (task: Int, outcome: LaunchReport.Outcome).self) { group in
      var open = graph.dependencies.map { $0.count { plan.tasks[$0].stage == stage } }
      var queue = LaunchQueue(heights: graph.heights)
      for index in plan.tasks.indices where plan.tasks[index].stage == stage && open[index] == 0 {
        queue.add(index)
      }
      let entries = log.report.entries
      var failed = Set(entries.indices.filter { !entries[$0].isDone(or: stage) })
      var running = 0
      while true {
        try Task.checkCancellation()
        while running < width, let index = queue.next() {
          if graph.dependencies[index].contains(where: failed.contains) {
            failed.insert(index)
            log.end(index, at: now, .skipped)
            release(after: index, stage, &open, &queue)
            continue
          }
          running += 1
          group.addTask(priority: stage == .idle ? .background : nil) {
            (index, await outcome(of: index))
          }
        }
        log.waitForSlot(queue.tasks)
        guard running > 0, let (index, outcome) = try await group.next() else { return }
        running -= 1
        switch outcome {
        case .done: break
        case .failed(let error) where stage == .beforeReady:
          throw error as? LaunchError
            ?? LaunchError.failed(task: plan.tasks[index].name, error: error)
        default:
          // The caller was cancelled, or the task itself stopped.
          try Task.checkCancellation()
          if stage == .beforeReady {
            throw LaunchError.failed(task: plan.tasks[index].name, error: CancellationError())
          }
          failed.insert(index)
          await whenFailed(log.report.entries[index])
        }
        release(after: index, stage, &open, &queue)
      }
    }
  }

  /// Queues the tasks that waited only for this one.
  private func release(
    after index: Int, _ stage: LaunchTask.Stage, _ open: inout [Int], _ queue: inout LaunchQueue
  ) {
    for dependent in plan.graph.dependents[index] where plan.tasks[dependent].stage == stage {
      open[dependent] -= 1
      if open[dependent] == 0 { queue.add(dependent) }
    }
  }

  private func outcome(of index: Int) async -> LaunchReport.Outcome {
    let task = plan.tasks[index]
    var outcome = LaunchReport.Outcome.done
    do {
      if let timeout = task.timeout {
        if try await !finishes(within: timeout, { try await perform(index) }) {
          outcome = .failed(LaunchError.timedOut(task: task.name, after: timeout))
        }
      } else {
        try await perform(index)
      }
    } catch is CancellationError {
      outcome = .cancelled
    } catch {
      outcome = .failed(error)
    }
    log.end(index, at: now, outcome)
    return outcome
  }

  private func perform(_ index: Int) async throws {
    try Task.checkCancellation()
    let task = plan.tasks[index]
    switch task.work {
    case .anywhere(let work):
      log.begin(index, at: now)
      try await Firstlight.span(task.name) { try await work() }
    case .mainActor(let work): try await performOnMainActor(index, task.name, work)
    }
  }

  /// The task's time begins when the main actor runs it.
  @MainActor private func performOnMainActor(
    _ index: Int, _ name: String, _ work: @MainActor @Sendable () async throws -> Void
  ) async throws {
    log.begin(index, at: now)
    let span = Firstlight.beginSpan(name)
    defer { span.end() }
    try await work()
  }

  /// Whether the work finishes in time. If not, it is cancelled and awaited.
  private func finishes(
    within limit: Duration, _ work: @escaping @Sendable () async throws -> Void
  ) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await work()
        return true
      }
      group.addTask {
        try await clock.sleep(until: clock.now.advanced(by: limit), tolerance: nil)
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? true
    }
  }
}

extension LaunchReport.Entry {
  /// Whether the dependents may start.
  fileprivate func isDone(or stage: LaunchTask.Stage) -> Bool {
    if self.stage >= stage { return true }
    if case .done = outcome { return true }
    return false
  }
}

/// Tasks that can start, the one with the longest chain of dependents first.
struct LaunchQueue {
  let heights: [Int]
  /// Sorted; the next task is last.
  private(set) var tasks: [Int] = []

  init(heights: [Int]) { self.heights = heights }

  mutating func add(_ task: Int) {
    // Of two tasks with the same height, the first in the plan comes first.
    func isBefore(_ a: Int, _ b: Int) -> Bool { (heights[a], -a) < (heights[b], -b) }
    var low = 0
    var high = tasks.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(tasks[middle], task) { low = middle + 1 } else { high = middle }
    }
    tasks.insert(task, at: low)
  }

  mutating func next() -> Int? { tasks.popLast() }
}

/// The report in progress: tasks write to it from any thread.
final class LaunchLog: Sendable {
  private let state: Mutex<LaunchReport>

  init(_ plan: LaunchPlan) {
    state = Mutex(
      LaunchReport(
        entries: plan.tasks.map {
          LaunchReport.Entry(
            name: $0.name, stage: $0.stage, outcome: .pending, waitsFor: $0.work.executor)
        }, dependencies: plan.graph.dependencies))
  }

  var report: LaunchReport { state.withLock { $0 } }

  /// Notes that all slots are taken, and these tasks could run.
  func waitForSlot(_ tasks: [Int]) {
    if tasks.isEmpty { return }
    state.withLock { report in
      for task in tasks { report.entries[task].waitsFor = "a free slot" }
    }
  }

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
