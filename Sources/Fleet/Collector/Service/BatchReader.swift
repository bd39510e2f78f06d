import FirstlightModel
import FleetModel

/// Reads a batch in parts that fit in memory.
struct BatchReader {
  let publisher: PublisherID
  private let batch: StateBatch
  /// The number of rows read so far.
  private(set) var rows = 0
  private var samples = 0

  init(_ batch: StateBatch, of publisher: PublisherID) {
    self.batch = batch
    self.publisher = publisher
  }

  var isAtEnd: Bool { rows == batch.rows.count && samples == batch.samples.count }

  /// The next rows and samples.
  /// - Parameter limit: bytes of memory. The last row or sample may exceed it, so there is always one.
  /// - Returns: the part, and the bytes of memory that it takes.
  /// - Throws: `.data`, naming the offset, if a row or sample cannot be decoded.
  mutating func next(upTo limit: Int) throws(Failure) -> (part: PublishedStates, weight: Int) {
    var part = PublishedStates(publisher: publisher, states: [])
    var weight = 0
    while rows < batch.rows.count, weight < limit {
      let state = try batch.row(rows)
      rows += 1
      weight += state.weight
      part.states.append(state)
    }
    while samples < batch.samples.count, weight < limit {
      let trace = try batch.sample(samples)
      samples += 1
      weight += trace.answerWeight * FleetTrace.callBytes
      part.samples.append(trace)
    }
    return (part, weight)
  }
}
