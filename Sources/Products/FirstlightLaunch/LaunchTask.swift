/// One piece of an app's start-up.
public struct LaunchTask: Sendable {
  /// When a task runs.
  public enum Stage: Int, Sendable, Comparable, CaseIterable {
    /// The app is not ready without it.
    case beforeReady
    /// Starts when the app is ready.
    case afterReady
    /// Starts when all others are done: one at a time, at background priority.
    case idle

    /// Earlier stages come first.
    public static func < (a: Stage, b: Stage) -> Bool { a.rawValue < b.rawValue }
  }

  /// Where a task runs.
  enum Work: Sendable {
    case anywhere(@Sendable () async throws -> Void)
    case mainActor(@MainActor @Sendable () async throws -> Void)
  }

  /// Names the task in its plan, and its span in a recording.
  public let name: String
  /// Names of the tasks that have to be done before it starts.
  public let dependencies: [String]
  /// When it runs.
  public let stage: Stage
  /// How long it may take; nil: as long as it likes. One that takes longer is cancelled, which counts
  /// as its failure.
  public let timeout: Duration?
  let work: Work

  /// A task that may run on any thread, beside others.
  ///
  /// - Parameters:
  ///   - name: what other tasks, the report and recordings call it.
  ///   - dependencies: names of tasks of the same stage or an earlier one.
  ///   - stage: when it runs.
  ///   - timeout: how long it may take; nil: as long as it likes.
  ///   - work: should end soon after it was cancelled.
  public init(
    _ name: String, after dependencies: [String] = [], stage: Stage = .beforeReady,
    timeout: Duration? = nil, _ work: @escaping @Sendable () async throws -> Void
  ) {
    self.init(name, dependencies, stage, timeout, .anywhere(work))
  }

  /// A task that runs on the main actor.
  public static func onMainActor(
    _ name: String, after dependencies: [String] = [], stage: Stage = .beforeReady,
    timeout: Duration? = nil, _ work: @escaping @MainActor @Sendable () async throws -> Void
  ) -> LaunchTask {
    LaunchTask(name, dependencies, stage, timeout, .mainActor(work))
  }

  private init(
    _ name: String, _ dependencies: [String], _ stage: Stage, _ timeout: Duration?, _ work: Work
  ) {
    self.name = name
    self.dependencies = dependencies
    self.stage = stage
    self.timeout = timeout
    self.work = work
  }
}
