import FirstlightModel
import FleetModel

/// The room for further claims about builds.
struct ClaimRooms {
  private var known: [BuildKey: Set<Int>] = [:]

  mutating func add(_ claims: [Claim]) {
    for claim in claims { known[claim.build, default: []].insert(claim.guards) }
  }

  /// - Returns: whether the store keeps rows with this claim.
  mutating func admit(_ claim: Claim) -> Bool {
    let guards = known[claim.build] ?? []
    guard guards.contains(claim.guards) || guards.count < TraceLimits.claims else { return false }
    known[claim.build, default: []].insert(claim.guards)
    return true
  }
}

extension FleetTrace {
  /// The claim about the trace's program.
  var programClaim: Claim? { programImage.map { Claim($0.build, guards: $0.guardCount) } }
}

extension RowWriter {
  /// The columns build_id, recorder and guards of the next row.
  mutating func begin(_ claim: Claim) {
    begin(claim.build)
    add(UInt32(clamping: claim.guards))
  }

  /// The columns build_id and recorder of the next row.
  mutating func begin(_ build: BuildKey) {
    row()
    add(build.buildID.description)
    add(build.recorder.rawValue)
  }

  mutating func add(_ day: FleetDay) { add(UInt16(clamping: day.number)) }

  /// A row of `sums`.
  mutating func add(_ state: SeriesState, of publisher: String, received: FleetDay) {
    let (key, totals) = (state.key, state.totals)
    begin(Claim(key))
    add(key.day)
    add(key.labels.version)
    add(key.labels.text)
    add(publisher)
    add(state.version.rawValue)
    add(received)
    add(state.isExecutable)
    add(UInt32(state.sums.calledCount))
    for (_, path) in SeriesTotals.counts { add(UInt64(clamping: totals[keyPath: path])) }
    add((max(0, totals.seconds) * 1e6).rounded())
    let names = state.names.uses.sorted { $0.key < $1.key }
    add(array: names.map(\.key.text))
    add(array: names.map(\.value.path))
    add(array: names.map { UInt64(clamping: $0.value.runs) })
    let stages = state.stages.histograms.map { ($0.key.rawValue, $0.value) }
    let starts = ([("", state.startups)] + stages.sorted { $0.0 < $1.0 }).flatMap { stage, all in
      all.counts.sorted { $0.key < $1.key }.map { (stage, $0.key, UInt64(clamping: $0.value)) }
    }
    add(array: starts.map(\.0))
    add(array: starts.map(\.1))
    add(array: starts.map(\.2))
    func hour(_ moment: Double) -> UInt8 {
      UInt8(min(max(0, ((moment - key.day.start) / 3600).rounded(.down)), 23))
    }
    let called = state.sums.called
    add(array: called.map(\.0))
    add(array: called.map { UInt64(clamping: $0.1.runs) })
    add(array: called.map { UInt64(clamping: $0.1.hosts) })
    add(array: called.map { hour($0.1.firstSeen) })
    add(array: called.map { hour($0.1.lastSeen) })
    add(array: called.map { state.callers[$0.0] ?? 0 })
    add(array: state.unseen.bounds)
  }
}

extension RowReader {
  /// The columns build_id and recorder.
  mutating func build() throws(Failure) -> BuildKey {
    let (id, name) = (try text(), try text())
    guard let buildID = BuildID(id), let recorder = Recorder(rawValue: name) else {
      throw Failure(.data, "damaged ClickHouse store: build \"\(id)\", recorder \"\(name)\"")
    }
    return BuildKey(buildID: buildID, recorder: recorder)
  }

  /// The columns build_id, recorder and guards.
  mutating func claim() throws(Failure) -> Claim {
    Claim(try build(), guards: try number(UInt32.self))
  }

  mutating func day() throws(Failure) -> FleetDay {
    FleetDay(number: Int32(try integer(UInt16.self)))
  }

  /// The columns build_id, recorder, guards, day, version and labels.
  mutating func stateKey() throws(Failure) -> StateKey {
    let claim = try claim()
    let day = try day()
    guard let labels = FleetLabels(version: try text(), text: try text()) else {
      throw Failure(.data, "damaged ClickHouse store: labels of build \(claim.build.buildID.short)")
    }
    return StateKey(
      series: SeriesKey(build: claim.build, day: day, labels: labels), guardCount: claim.guards)
  }

  /// The columns of `ClickHouseSchema.totals`.
  mutating func totals() throws(Failure) -> SeriesTotals {
    var totals = SeriesTotals()
    for (_, path) in SeriesTotals.counts { totals[keyPath: path] = try number(UInt64.self) }
    totals.seconds = try double() / 1e6
    return totals
  }
}
