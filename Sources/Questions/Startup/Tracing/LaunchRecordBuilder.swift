import FirstlightModel

extension LaunchEvents {
  /// The end of a stage.
  struct StageEnd {
    var kind: LaunchStage.Kind
    var moment: Moment
  }

  /// The ends of all stages, in order. The loader's work is one stage.
  var stageEnds: [StageEnd] {
    let start = visits.first { $0.landmark == .start }
    let main = visits.first { $0.landmark == .main }
    var ends =
      executedEarlier.map {
        [StageEnd(kind: .exec, moment: $0), StageEnd(kind: .earlier, moment: executed)]
      } ?? [StageEnd(kind: .exec, moment: executed)]
    // At start, the loader announces two changes: before it maps libraries, and after it has relocated
    // everything.
    let relocated = hasLoader && librariesTold.count >= 2 ? librariesTold[1] : nil
    if let relocated { ends.append(StageEnd(kind: .relocating, moment: relocated)) }
    if let main {
      ends.append(StageEnd(kind: .initializers, moment: main.entry))
      return ends + [StageEnd(kind: .main, moment: end)]
    }
    // If the address of `main` is unknown, the C library, initializers and `main` are one stage.
    if let start, relocated != nil {
      ends.append(StageEnd(kind: .initializers, moment: start.entry))
    }
    return ends + [StageEnd(kind: .unknown, moment: end)]
  }
}

extension LaunchRecord {
  /// The record of one start-up: stages without gaps from the request to its end.
  init(_ events: LaunchEvents) {
    let ends = events.stageEnds
    let loader = LoaderTimes(
      events, until: ends.first { $0.kind == .relocating }?.moment.time)
    var stages = Stages(events)
    for end in ends {
      var kind = end.kind
      if kind == .relocating {
        if let mapped = loader.mapped { stages.end(.mapping, at: mapped) } else { kind = .mapping }
      }
      stages.end(kind, at: end.moment)
    }
    self.init(
      stages: stages.all, initializers: Self.initializers(events), images: loader.images)
  }

  /// Divides the loader's single stage in the proportions of other starts.
  func dividingLoader(like others: [LaunchRecord]) -> LaunchRecord {
    guard let place = stages.firstIndex(where: { $0.kind == .mapping }) else { return self }
    func share(_ part: (LaunchStage) -> UInt64) -> Double? {
      let shares = others.compactMap { record -> Double? in
        guard let mapping = record.stages.first(where: { $0.kind == .mapping }),
          let relocating = record.stages.first(where: { $0.kind == .relocating })
        else { return nil }
        let whole = part(mapping) + part(relocating)
        return whole > 0 ? Double(part(mapping)) / Double(whole) : 0
      }
      return shares.isEmpty ? nil : Sample(shares).median
    }
    guard let time = share(\.duration), let minor = share(\.minorFaults),
      let major = share(\.majorFaults)
    else { return self }
    func divided(_ whole: UInt64, _ share: Double) -> (UInt64, UInt64) {
      let first = UInt64(Double(whole) * share)
      return (first, whole - first)
    }
    let whole = stages[place]
    let times = divided(whole.duration, time)
    let minors = divided(whole.minorFaults, minor)
    let majors = divided(whole.majorFaults, major)
    var record = self
    record.stages[place...place] = [
      LaunchStage(
        kind: .mapping, start: whole.start, duration: times.0, minorFaults: minors.0,
        majorFaults: majors.0),
      LaunchStage(
        kind: .relocating, start: whole.start + times.0, duration: times.1,
        minorFaults: minors.1, majorFaults: majors.1),
    ]
    return record
  }

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

    /// Adds a stage that lasts from the end of the previous one to this moment.
    mutating func end(_ kind: LaunchStage.Kind, at moment: LaunchEvents.Moment) {
      let time = max(at, events.since(moment.time))
      // Faults that were not read have not changed, as far as is known.
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
