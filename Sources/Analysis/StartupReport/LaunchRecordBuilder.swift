import FirstlightModel

extension LaunchRecord {
  /// The account of one start-up: stages without gap from the request to its end.
  package init(_ events: LaunchEvents) {
    let start = events.visits.first { $0.landmark == .start }
    let main = events.visits.first { $0.landmark == .main }
    // The loader announces two changes at start: before it maps, and when it has relocated everything.
    let relocated =
      events.hasLoader && events.librariesTold.count >= 2 ? events.librariesTold[1] : nil
    let loader = LoaderTimes(events, until: relocated?.time)

    var stages = Stages(events)
    stages.end(.exec, at: events.executed)
    if let relocated {
      if let mapped = loader.mapped { stages.end(.mapping, at: mapped) }
      stages.end(loader.mapped == nil ? .mapping : .relocating, at: relocated)
    }
    if let main {
      stages.end(.initializers, at: main.entry, thread: main.thread)
      stages.end(.main, at: events.end, thread: events.endThread)
    } else if let start {
      // The address of `main` is unknown: the C library's work, initializers and it are one.
      if relocated != nil { stages.end(.initializers, at: start.entry, thread: start.thread) }
      stages.end(.unknown, at: events.end, thread: events.endThread)
    } else {
      stages.end(.unknown, at: events.end, thread: events.endThread)
    }
    self.init(
      stages: stages.all, initializers: Self.initializers(events), images: loader.images)
  }

  /// Nanoseconds of all stages.
  package var duration: UInt64 { stages.reduce(0) { $0 + $1.duration } }

  private static func initializers(_ events: LaunchEvents) -> [InitializerRun] {
    events.visits.compactMap { visit -> InitializerRun? in
      guard case .initializer(let name) = visit.landmark else { return nil }
      let start = events.since(visit.entry.time, thread: visit.thread)
      let faults = (visit.exit?.faults ?? visit.entry.faults) - visit.entry.faults
      return InitializerRun(
        image: visit.image, name: name, address: visit.address, thread: visit.thread, start: start,
        duration: visit.exit.map {
          let end = events.since($0.time, thread: visit.thread)
          return end - min(end, start)
        }, minorFaults: faults.minor, majorFaults: faults.major)
    }
  }

  private struct Stages {
    private let events: LaunchEvents
    private(set) var all: [LaunchStage] = []
    private var at: UInt64 = 0
    private var faults = LaunchEvents.Faults()

    init(_ events: LaunchEvents) { self.events = events }

    /// A stage that reaches from the end of the one before to this moment.
    mutating func end(
      _ kind: LaunchStage.Kind, at moment: LaunchEvents.Moment, thread: UInt32? = nil
    ) {
      let time = max(at, events.since(moment.time, thread: thread))
      // What was not read keeps what it was.
      let now = moment.faults == LaunchEvents.Faults() ? faults : moment.faults
      let more = now - faults
      all.append(
        LaunchStage(
          kind: kind, start: at, duration: time - at, minorFaults: more.minor,
          majorFaults: more.major))
      (at, faults) = (time, now)
    }
  }
}
