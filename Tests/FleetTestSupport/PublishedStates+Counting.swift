import FirstlightModel
import FleetModel

extension PublisherID {
  /// One of those that tests tell apart by a number.
  package static func test(_ number: UInt64) -> PublisherID {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> UInt64($0 % 8 * 8)) }
    return PublisherID(bytes.map { $0 ^ 0xa5 })!
  }
}

extension FleetStore {
  /// Registers what a holder of the role `symbols` sent.
  @discardableResult
  package func register(_ table: FunctionTable) async throws -> String? {
    try await register(table, proof: .sent)
  }
}

/// A process as its host counted it.
package struct CountedProcess: Sendable {
  /// What it adds to rows.
  package var states: [SeriesState]
  package var sample: FleetTrace?

  package init(states: [SeriesState], sample: FleetTrace?) {
    self.states = states
    self.sample = sample
  }

  package init(
    _ process: ObservedProcess, run: inout CoverageTally, host: inout CoverageTally,
    labels: FleetLabels = FleetLabels()
  ) {
    var tally = StateTally(labels: labels)
    let seconds = tally.count(process, run: &run, host: &host) ?? 0
    self.init(
      states: tally.states(), sample: FleetTrace(process, labels: labels, seconds: seconds))
  }

  /// A process of a run and a host of its own.
  package init(_ process: ObservedProcess, labels: FleetLabels = FleetLabels()) {
    var (run, host) = (CoverageTally(), CoverageTally())
    self.init(process, run: &run, host: &host, labels: labels)
  }
}

extension CountedProcess {
  /// The runs of a profile; the states of a run are with its first sample.
  package static func counting(
    _ profile: Profile, labels: FleetLabels = FleetLabels()
  ) throws -> [CountedProcess] {
    try profile.fleetStates(labels: labels).flatMap { run in
      run.samples.enumerated().map { place, sample in
        CountedProcess(states: place == 0 ? run.states : [], sample: sample)
      }
    }
  }
}

extension PublishedStates {
  /// What a host has counted of processes, as it sends it first.
  package static func counting(
    _ processes: [CountedProcess], publisher: PublisherID = .test(1), version: RowVersion = 1
  ) -> PublishedStates {
    var rows: [StateKey: SeriesState] = [:]
    for state in processes.flatMap(\.states) {
      var row = rows.removeValue(forKey: state.key)
      row?.add(state)
      rows[state.key] = row ?? state
    }
    for key in rows.keys { rows[key]?.version = version }
    return PublishedStates(
      publisher: publisher, states: Array(rows.values), samples: processes.compactMap(\.sample))
  }
}
