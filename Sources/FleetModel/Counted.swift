/// What has been counted already of a run, or of a host under one set of labels: the functions that
/// another process of the run, or another run of the host, must not count again.
public struct Counted: Hashable, Sendable {
  /// Whether any process was.
  public var isStarted = false
  public var builds: [BuildKey: GuardSet] = [:]

  public init(isStarted: Bool = false) { self.isStarted = isStarted }
}
