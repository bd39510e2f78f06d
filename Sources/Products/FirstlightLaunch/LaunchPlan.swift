import Firstlight

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An app's start-up: tasks, what comes after what, and what can wait until the app is ready.
///
/// ```swift
/// let plan = try LaunchPlan([
///   LaunchTask("config") { try await settings.load() },
///   LaunchTask("database", after: ["config"]) { try await pool.open() },
///   LaunchTask("templates") { try await pages.compile() },
///   LaunchTask("cache", after: ["database"], stage: .afterReady) { try await cache.fill() },
/// ])
/// let report = try await plan.run { report in
///   print(report)
///   try await server.run()
/// }
/// ```
public struct LaunchPlan: Sendable {
  let tasks: [LaunchTask]
  let graph: LaunchGraph
  let width: Int
  let timeout: Duration?

  /// Checks the plan. Nothing runs yet.
  ///
  /// - Parameters:
  ///   - tasks: in any order.
  ///   - width: how many tasks run at once at most; as many as the machine has cores if not given.
  ///   - timeout: how long it may take until the app is ready.
  /// - Throws: `LaunchError.duplicate`, `.missing`, `.cycle` or `.laterStage`, naming the tasks.
  public init(
    _ tasks: [LaunchTask], width: Int? = nil, timeout: Duration? = nil
  ) throws(LaunchError) {
    self.tasks = tasks
    graph = try LaunchGraph(tasks)
    self.width = max(1, width ?? Self.coreCount)
    self.timeout = timeout
  }

  /// Runs all tasks, and says `Firstlight.ready()` when those of the first stage are done.
  ///
  /// Each task is a span of its name in a recording. Tasks of later stages run beside `whenReady`; what
  /// of them is not done when `whenReady` returns is cancelled. One of them that fails does not end the
  /// app: `whenFailed` hears of it, the report tells, and what comes after it is skipped.
  ///
  /// Tasks run in a task group: `run` returns when all have ended, so one that takes no notice of
  /// being cancelled holds it up.
  ///
  /// - Parameters:
  ///   - clock: what times and timeouts are taken from.
  ///   - whenReady: what the app does once it is ready; gets the report so far. nil: nothing, and all
  ///     tasks are waited for.
  ///   - whenFailed: is told of each task of a later stage that fails, as soon as it has. By default
  ///     a line on standard error: `launch task "cache" failed: ...`.
  /// - Returns: what became of all tasks.
  /// - Throws: `LaunchError.failed`, `.timedOut` or `.notReady` if the app cannot become ready, after
  ///   the other tasks were cancelled; `CancellationError` if that happened to the caller; and what
  ///   `whenReady` throws.
  public func run(
    clock: some Clock<Duration> = ContinuousClock(),
    whenReady: (@Sendable (LaunchReport) async throws -> Void)? = nil,
    whenFailed: @escaping @Sendable (LaunchReport.Entry) async -> Void = { complain($0) }
  ) async throws -> LaunchReport {
    let log = LaunchLog(self)
    let run = LaunchRun(
      plan: self, clock: clock, start: clock.now, log: log, whenFailed: whenFailed)
    try await run.becomeReady()
    guard let whenReady else {
      try await run.runDeferred()
      return log.report
    }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await whenReady(log.report)
        return true
      }
      group.addTask {
        try await run.runDeferred()
        return false
      }
      // The app may end before the tasks, or after them.
      if try await group.next() == false { _ = try await group.next() }
      group.cancelAll()
      // Those that were cancelled have said so in the log.
      while (try? await group.next()) != nil {}
    }
    return log.report
  }

  /// Says on standard error what became of a task.
  public static func complain(_ entry: LaunchReport.Entry) {
    let line = Array("\(entry)\n".utf8)
    // One call: lines of several tasks do not mix. If nobody can read it, nobody is told.
    _ = write(STDERR_FILENO, line, line.count)
  }

  private static var coreCount: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
