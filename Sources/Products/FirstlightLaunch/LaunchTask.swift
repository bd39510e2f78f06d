/// A task of an app's start-up.
public struct LaunchTask: Sendable {
  /// The time at which a task runs.
  public enum Stage: Int, Sendable, Comparable, CaseIterable {
    /// Must be done before the app is ready.
    case beforeReady
    /// Starts when the app is ready.
    case afterReady
    /// Starts when all other tasks are done, one at a time, at background priority.
    case idle

    /// Orders stages by time.
    public static func < (a: Stage, b: Stage) -> Bool { a.rawValue < b.rawValue }
  }

  /// The actor that a task runs on.
  enum Work: Sendable {
    case anywhere(@Sendable () async throws -> Void)
    case mainActor(@MainActor @Sendable () async throws -> Void)

    /// The executor of the work, for people.
    var executor: String {
      switch self {
      case .anywhere: "a thread"
      case .mainActor: "the main actor"
      }
    }
  }

  /// The name of the task in its plan, and of its span in a recording.
  public let name: String
  /// Names of the tasks that must be done before this one starts.
  public let dependencies: [String]
  /// The stage in which the task runs.
  public let stage: Stage
  /// The longest time the task may take; nil: no limit. A task that exceeds it is cancelled and fails.
  public let timeout: Duration?
  let work: Work

  /// Creates a task that may run on any thread, in parallel with others.
  ///
  /// - Parameters:
  ///   - name: a name that is unique in the plan.
  ///   - dependencies: names of tasks of the same stage or an earlier one.
  ///   - stage: the stage in which the task runs.
  ///   - timeout: the longest time the task may take; nil: no limit.
  ///   - work: the work; it should end soon after a cancellation.
  public init(
    _ name: String, after dependencies: [String] = [], stage: Stage = .beforeReady,
    timeout: Duration? = nil, _ work: @escaping @Sendable () async throws -> Void
  ) {
    self.init(name, dependencies, stage, timeout, .anywhere(work))
  }

  /// Creates a task that runs on the main actor.
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
