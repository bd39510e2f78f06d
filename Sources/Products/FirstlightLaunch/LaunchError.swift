/// The failure of a plan, with the tasks concerned.
public enum LaunchError: Error, CustomStringConvertible {
  /// Two tasks have the same name.
  case duplicate(task: String)
  /// A task depends on a task that is not in the plan.
  case missing(dependency: String, of: String)
  /// Each of these tasks depends on the next one, and the last on the first.
  case cycle(tasks: [String])
  /// A task depends on a task of a later stage.
  case laterStage(dependency: String, of: String)
  /// A task of the stage before ready threw an error.
  case failed(task: String, error: any Error)
  /// A task exceeded its timeout.
  case timedOut(task: String, after: Duration)
  /// The app was not ready within the plan's timeout.
  case notReady(after: Duration, waitingFor: [String])

  /// The message, on one line, with the names of the tasks.
  public var description: String {
    switch self {
    case .duplicate(let task): "two launch tasks are named \"\(task)\""
    case .missing(let dependency, let task):
      "launch task \"\(task)\" depends on \"\(dependency)\", which is not in the plan"
    case .cycle(let tasks):
      "launch tasks depend on each other: "
        + (tasks + tasks.prefix(1)).map { "\"\($0)\"" }.joined(separator: " after ")
    case .laterStage(let dependency, let task):
      "launch task \"\(task)\" depends on \"\(dependency)\", which is in a later stage"
    case .failed(let task, let error): "launch task \"\(task)\" failed: \(error)"
    case .timedOut(let task, let limit):
      "launch task \"\(task)\" took longer than \(milliseconds(limit)) ms"
    case .notReady(let limit, let tasks):
      "not ready after \(milliseconds(limit)) ms, waiting for "
        + tasks.map { "\"\($0)\"" }.joined(separator: ", ")
    }
  }
}
