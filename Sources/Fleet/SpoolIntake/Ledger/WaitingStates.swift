import FleetModel

/// A row that is to be sent.
package struct WaitingRow: Sendable {
  package var id: Int64
  /// The version of `bytes`. The row in the ledger may be newer by now.
  package var version: UInt64
  package var runs: Int
  package var key: StateKey
  /// As `SeriesState` encodes them.
  package var bytes: [UInt8]
}

/// A sampled trace that is to be sent.
package struct WaitingSample: Sendable {
  package var id: Int64
  package var program: BuildKey
  /// As `StateBatch` encodes them.
  package var bytes: [UInt8]
}

/// What became of rows and samples that were sent.
package struct SendingOutcome: Sendable {
  /// The receiver has them in this version or a later one.
  package var taken: [WaitingRow] = []
  /// Their day is beyond tomorrow by the receiver's clock.
  package var early: [WaitingRow] = []
  /// It will never take them.
  package var refused: [(row: WaitingRow, reason: String)] = []
  package var samples: [WaitingSample] = []
  /// All days before are closed.
  package var firstOpenDay = FleetDay(number: 0)
  package var sampleLimits: [BuildKey: UInt64] = [:]

  package init() {}
}

/// How much waits.
package struct WaitingSize: Hashable, Sendable {
  package var rows = 0
  /// Runs that the receiver lacks; one counts once for each build that it loaded.
  package var runs = 0
  package var bytes = 0
  /// Seconds since the oldest change that the receiver lacks; nil if nothing waits.
  package var oldest: Double?

  package init() {}
}

/// How soon a row that has changed is sent again.
///
/// The older a row is, the less another run changes it, so it waits for a quarter of its age. A row is sent
/// some fifty times a day (33 times in its first four hours, then every hour), whatever number of runs it
/// counts. A row with a function that is new on the host does not wait.
package struct SendingPace: Sendable {
  /// Seconds between two versions of a row, at least.
  package var least = 1.0
  /// At most.
  package var most: Double

  /// To a store of this host, whose answers are expected to be of now.
  package static let store = SendingPace(most: 60)
  /// To another daemon, which has many hosts.
  package static let upstream = SendingPace(most: 3600)
  /// For a daemon that is about to end.
  package static let atOnce = SendingPace(least: 0, most: 0)
}
