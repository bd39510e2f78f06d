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
    sum.runs += b.runs
    sum.hosts += b.hosts
    sum.programRuns += b.programRuns
    sum.processes += b.processes
    sum.seconds += b.seconds
    sum.drops += b.drops
    sum.uncommitted += b.uncommitted
    sum.lostImages += b.lostImages
    sum.unreadableSegments += b.unreadableSegments
    return sum
  }
}
