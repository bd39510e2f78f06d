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
