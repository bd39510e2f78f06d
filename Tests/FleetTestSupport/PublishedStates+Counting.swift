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

extension PublishedStates {
  /// What a host has counted of processes, as it sends it first.
  package static func counting(
    _ traces: [FleetTrace], publisher: PublisherID = .test(1), version: RowVersion = 1
  ) -> PublishedStates {
    var states = SeriesState.counting(traces)
    for place in states.indices { states[place].version = version }
    return PublishedStates(
      publisher: publisher, states: states, samples: traces.filter { $0.calls != nil })
  }
}
