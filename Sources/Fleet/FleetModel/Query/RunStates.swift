import FirstlightModel

/// The states of one run of a profile, sent as if by its own publisher.
///
/// Its rows never change, so they all have version 1, and sending the run again, even from a merged
/// profile, changes nothing.
package struct RunStates: Sendable {
  package var secret: LedgerSecret
  package var states: [SeriesState]
  /// The run's processes with their calls.
  package var samples: [FleetTrace]

  /// The encoded batches, each small enough for every receiver.
  package var batches: [[UInt8]] {
    var batches: [[UInt8]] = []
    var part = Part()
    func finish() {
      if part.size == 0 { return }
      batches.append(StateBatch.encode(secret, rows: part.rows, samples: part.samples))
      part = Part()
    }
    for state in states {
      part.rows.append(state.encoded())
      part.size += part.rows.last?.count ?? 0
      if part.isFull { finish() }
    }
    for sample in samples {
      part.samples.append(StateBatch.encode(sample: sample))
      part.size += part.samples.last?.count ?? 0
      if part.isFull { finish() }
    }
    finish()
    return batches
  }

  private struct Part {
    var rows: [[UInt8]] = []
    var samples: [[UInt8]] = []
    /// Size in bytes.
    var size = 0

    var isFull: Bool {
      size >= 8 << 20 || max(rows.count, samples.count) == StateBatch.rowLimit
    }
  }
}
