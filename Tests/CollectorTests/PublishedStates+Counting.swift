import FleetModel

extension PublishedStates {
  /// What a host has counted of processes, as it sends it first.
  static func counting(_ traces: [FleetTrace], publisher: UInt8 = 7) -> PublishedStates {
    let states = SeriesState.counting(traces).map { state in
      var state = state
      state.version = 1
      return state
    }
    return PublishedStates(
      publisher: PublisherID(repeatElement(publisher, count: PublisherID.byteCount))!,
      states: states, samples: traces)
  }
}
