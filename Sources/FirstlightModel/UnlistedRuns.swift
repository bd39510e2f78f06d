/// Runs that a profile counts without naming each: a fleet's, of which only a sample is named.
public struct UnlistedRuns: Hashable, Sendable {
  public var runs: Int
  public var processes: Int
  /// How long they were watched, summed.
  public var seconds: Double
  public var losses: Losses

  public init(runs: Int = 0, processes: Int = 0, seconds: Double = 0, losses: Losses = Losses()) {
    self.runs = runs
    self.processes = processes
    self.seconds = seconds
    self.losses = losses
  }

  static func + (a: UnlistedRuns, b: UnlistedRuns) -> UnlistedRuns {
    UnlistedRuns(
      runs: a.runs + b.runs, processes: a.processes + b.processes, seconds: a.seconds + b.seconds,
      losses: a.losses + b.losses)
  }
}
