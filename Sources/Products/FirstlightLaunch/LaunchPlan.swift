import Firstlight

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An app's start-up: tasks, their dependencies, and their stages before and after ready.
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

  /// Creates and checks a plan, without running it.
  ///
  /// - Parameters:
  ///   - tasks: the tasks, in any order.
  ///   - width: the largest number of tasks that run at once; nil: the number of cores.
  ///   - timeout: the longest time until the app is ready; nil: no limit.
  /// - Throws: `LaunchError.duplicate`, `.missing`, `.cycle` or `.laterStage`, naming the tasks.
  public init(
    _ tasks: [LaunchTask], width: Int? = nil, timeout: Duration? = nil
  ) throws(LaunchError) {
    self.tasks = tasks
    graph = try LaunchGraph(tasks)
    self.width = max(1, width ?? Self.coreCount)
    self.timeout = timeout
  }

  /// Runs all tasks, and calls `Firstlight.ready()` when those of the first stage are done.
  ///
  /// A recording shows each task as a span with its name. Tasks of later stages run at the same time as
  /// `whenReady` and are cancelled when it returns. If one fails, the app continues: `whenFailed` is
  /// called, the report contains the error, and the tasks that depend on it are skipped.
  ///
  /// Tasks run in a task group: `run` returns when all have ended, so a task that ignores cancellation
  /// delays it.
  ///
  /// - Parameters:
  ///   - clock: the clock for times and timeouts.
  ///   - whenReady: the app's work once it is ready; receives the report so far. If nil, `run` waits
  ///     for all tasks.
  ///   - whenFailed: called at once for each failed task of a later stage. The default writes a line
  ///     to standard error: `launch task "cache" failed: ...`.
  /// - Returns: the outcome of all tasks.
  /// - Throws: `LaunchError.failed`, `.timedOut` or `.notReady` if the app cannot become ready, after
  ///   the other tasks were cancelled; `CancellationError` if the caller was cancelled; and errors of
  ///   `whenReady`.
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
      // Cancelled tasks have already recorded their outcome.
      while (try? await group.next()) != nil {}
    }
    return log.report
  }

  /// Writes the outcome of a task to standard error.
  public static func complain(_ entry: LaunchReport.Entry) {
    let line = Array("\(entry)\n".utf8)
    // One call, so that lines of several tasks do not mix. A write error is ignored.
    _ = write(STDERR_FILENO, line, line.count)
  }

  private static var coreCount: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
