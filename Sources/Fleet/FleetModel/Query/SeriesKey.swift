/// What sums are kept for: one build on one day under one set of labels.
public struct SeriesKey: Hashable, Sendable {
  public var build: BuildKey
  public var day: FleetDay
  public var labels: FleetLabels

  public init(build: BuildKey, day: FleetDay, labels: FleetLabels) {
    self.build = build
    self.day = day
    self.labels = labels
  }
}

/// What a series knows beside its functions. All of it adds up over series.
public struct SeriesTotals: Hashable, Sendable {
  /// Runs in which the build was loaded for the first time on that day.
  public var runs = 0
  /// Hosts that loaded it for the first time ever, under these labels.
  public var hosts = 0
  /// Runs and processes whose program it is, what they lost, and how long they were watched.
  public var programRuns = 0
  public var processes = 0
  public var seconds = 0.0
  public var drops = 0
  public var uncommitted = 0
  public var lostImages = 0
  public var unreadableSegments = 0

  public init() {}

  public static func + (a: SeriesTotals, b: SeriesTotals) -> SeriesTotals {
    var sum = a
    sum.runs = a.runs.addingClamped(b.runs)
    sum.hosts = a.hosts.addingClamped(b.hosts)
    sum.programRuns = a.programRuns.addingClamped(b.programRuns)
    sum.processes = a.processes.addingClamped(b.processes)
    sum.seconds += b.seconds
    sum.drops = a.drops.addingClamped(b.drops)
    sum.uncommitted = a.uncommitted.addingClamped(b.uncommitted)
    sum.lostImages = a.lostImages.addingClamped(b.lostImages)
    sum.unreadableSegments = a.unreadableSegments.addingClamped(b.unreadableSegments)
    return sum
  }
}
