/// What sums are kept for: one build on one day under one set of labels.
package struct SeriesKey: Hashable, Sendable {
  package var build: BuildKey
  package var day: FleetDay
  package var labels: FleetLabels

  package init(build: BuildKey, day: FleetDay, labels: FleetLabels) {
    self.build = build
    self.day = day
    self.labels = labels
  }
}

/// What a series knows beside its functions. All of it adds up over series.
package struct SeriesTotals: Hashable, Sendable {
  /// Runs in which the build was loaded for the first time on that day.
  package var runs = 0
  /// Hosts that loaded it for the first time ever, under these labels.
  package var hosts = 0
  /// Runs and processes whose program it is, what they lost, and how long they were watched.
  package var programRuns = 0
  package var processes = 0
  package var seconds = 0.0
  package var drops = 0
  package var uncommitted = 0
  package var lostImages = 0
  package var unreadableSegments = 0

  package init() {}

  package static func + (a: SeriesTotals, b: SeriesTotals) -> SeriesTotals {
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
