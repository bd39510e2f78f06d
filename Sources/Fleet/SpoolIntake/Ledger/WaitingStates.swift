import FirstlightModel
import FleetModel

/// A row to be sent.
package struct WaitingRow: Sendable {
  package var id: Int64
  /// The version of `bytes`. The ledger's row may be newer.
  package var version: RowVersion
  /// The version that the receiver has, as far as it answered.
  package var follows: RowVersion
  package var runs: Int
  package var key: StateKey
  /// Encoded by `SeriesState`, without the version.
  package var bytes: [UInt8]

  /// The row, with its version.
  package func state() throws(Failure) -> SeriesState {
    let decoded = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try SeriesState(decoding: bytes) }
    }
    var state = try decoded.get()
    (state.version, state.follows) = (version, follows)
    return state
  }
}

/// Rows and samples of one life of a ledger, to be sent together.
package struct LedgerBatch: Sendable {
  /// The secret of the life.
  package var secret: LedgerSecret
  package var rows: [WaitingRow] = []
  package var samples: [WaitingSample] = []

  package var isEmpty: Bool { rows.isEmpty && samples.isEmpty }

  package init(_ secret: LedgerSecret) { self.secret = secret }
}

/// A sampled trace to be sent.
package struct WaitingSample: Sendable {
  package var id: Int64
  package var program: BuildKey
  /// Encoded by `StateBatch`.
  package var bytes: [UInt8]
}

/// The outcome of sent rows and samples.
package struct SendingOutcome: Sendable {
  /// Rows that the receiver has in this version or a later one.
  package var taken: [WaitingRow] = []
  /// Rows whose day is after tomorrow by the receiver's clock.
  package var early: [WaitingRow] = []
  /// Rows for whose labels the receiver has no room now.
  package var crowded: [WaitingRow] = []
  /// Rows whose earlier version the receiver has removed.
  package var removed: [WaitingRow] = []
  /// Rows whose day is closed at the receiver.
  package var late: [WaitingRow] = []
  /// Rows that the receiver will never accept.
  package var refused: [(row: WaitingRow, reason: String)] = []
  package var samples: [WaitingSample] = []
  /// All earlier days are closed.
  package var firstOpenDay = FleetDay(number: 0)
  package var sampleLimits: [BuildKey: UInt64] = [:]

  package init() {}
}

/// The size of the unsent data.
package struct WaitingSize: Hashable, Sendable {
  package var rows = 0
  /// Runs that the receiver lacks; a run counts once for each loaded build.
  package var runs = 0
  package var bytes = 0
  /// Seconds since the oldest change that the receiver lacks; nil if there is none.
  package var oldest: Double?

  package init() {}
}

/// Determines how soon a changed row is sent again.
///
/// The older a row is, the less another run changes it, so it waits for a quarter of its age. A row
/// is sent some fifty times a day (33 times in its first four hours, then every hour), whatever
/// number of runs it counts. A row with a function that is new on the host does not wait.
package struct SendingPace: Sendable {
  /// Minimum seconds between two versions of a row.
  package var least = 1.0
  /// Maximum seconds.
  package var most: Double

  /// To a store of this host, whose answers should be current.
  package static let store = SendingPace(most: 60)
  /// To another daemon, which serves many hosts.
  package static let upstream = SendingPace(most: 3600)
  /// For a daemon that is about to end.
  package static let atOnce = SendingPace(least: 0, most: 0)
}
