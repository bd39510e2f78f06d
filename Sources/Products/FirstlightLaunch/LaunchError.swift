/// Why a plan cannot be run, or did not come to an end. Each names the tasks it is about.
public enum LaunchError: Error, CustomStringConvertible {
  /// Two tasks have this name.
  case duplicate(task: String)
  /// A task comes after one that the plan does not have.
  case missing(dependency: String, of: String)
  /// Each of these tasks comes after the next one, and the last after the first.
  case cycle(tasks: [String])
  /// A task comes after one of a later stage.
  case laterStage(dependency: String, of: String)
  /// A task that the app is not ready without has thrown an error.
  case failed(task: String, error: any Error)
  /// A task took longer than it may.
  case timedOut(task: String, after: Duration)
  /// The app was not ready in time.
  case notReady(after: Duration, waitingFor: [String])

  /// One line for people, naming the tasks.
  public var description: String {
    switch self {
    case .duplicate(let task): "two launch tasks are named \"\(task)\""
    case .missing(let dependency, let task):
      "launch task \"\(task)\" comes after \"\(dependency)\", which is not there"
    case .cycle(let tasks):
      "launch tasks wait for each other: "
        + (tasks + tasks.prefix(1)).map { "\"\($0)\"" }.joined(separator: " after ")
    case .laterStage(let dependency, let task):
      "launch task \"\(task)\" comes after \"\(dependency)\", which is of a later stage"
    case .failed(let task, let error): "launch task \"\(task)\" failed: \(error)"
    case .timedOut(let task, let limit):
      "launch task \"\(task)\" took longer than \(milliseconds(limit)) ms"
    case .notReady(let limit, let tasks):
      "not ready after \(milliseconds(limit)) ms, waiting for "
        + tasks.map { "\"\($0)\"" }.joined(separator: ", ")
    }
  }
}
