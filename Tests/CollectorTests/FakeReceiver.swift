import FirstlightModel
import FleetModel
import Synchronization

@testable import Collector

/// A receiver that keeps rows as a store does, in memory, and goes wrong as it is told.
final class FakeReceiver: FleetSink {
  struct State {
    var rows: [LedgerSecret: [StateKey: SeriesState]] = [:]
    var samples: [LedgerSecret: Set<TraceID>] = [:]
    /// How many rows each batch had.
    var batches: [Int] = []
    var comparisons = 0
    var firstOpenDay = FleetDay(number: 0)
    /// The last day that has begun.
    var lastDay = FleetDay(number: 100_000)
    var sampleLimits: [BuildKey: UInt64] = [:]
    /// Why it never takes a row; nil: it does.
    var refusal: @Sendable (StateKey) -> String? = { _ in nil }
    /// Whether it refuses to read a batch with this row.
    var isUnreadable: @Sendable (StateKey) -> Bool = { _ in false }
    var isDown = false
    /// Takes what comes, and gives no answer.
    var losesAnswers = false
    var refusesToCompare = false
  }

  let name = "receiver"
  let isOfThisHost: Bool
  private let state = Mutex(State())
  private let onDelivery: @Sendable () -> Void

  init(isOfThisHost: Bool = false, onDelivery: @escaping @Sendable () -> Void = {}) {
    self.isOfThisHost = isOfThisHost
    self.onDelivery = onDelivery
  }

  func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    state.withLock { body(&$0) }
  }

  var rows: [SeriesState] { with { $0.rows.values.flatMap(\.values) } }
  var runs: Int { rows.reduce(0) { $0 + $1.totals.runs } }

  /// Takes a row of another sender.
  func take(_ row: SeriesState, as secret: LedgerSecret) async throws {
    let batch = StateBatch.encode(
      secret, rows: [row.encoded()], follows: row.follows == .none ? [:] : [0: row.follows])
    _ = try await deliver(batch)
  }

  private static let away = DeliveryError.failed(Failure(.unavailable, "away"))

  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt {
    defer { onDelivery() }
    return try state.withLock { state throws(DeliveryError) in
      if state.isDown { throw Self.away }
      let states: [SeriesState]
      let samples: [FleetTrace]
      let secret: LedgerSecret
      do throws(Failure) {
        let batch = try StateBatch(batch)
        secret = batch.secret
        states = try batch.rows.indices.map(batch.row)
        samples = try batch.samples.indices.map(batch.sample)
      } catch { throw .refused(error) }
      state.batches.append(states.count)
      if states.contains(where: { state.isUnreadable($0.key) }) {
        throw .refused(Failure(.data, "cannot be read"))
      }
      var receipt = StateReceipt()
      for (place, row) in states.enumerated() {
        let stored = state.rows[secret]?[row.key]?.version
        let relation = row.version.relation(to: stored, follows: row.follows)
        if row.key.day < state.firstOpenDay {
          receipt.refusals[place] = RowRefusal(.late, "\(row.key.day) is closed")
        } else if row.key.day > state.lastDay {
          receipt.refusals[place] = RowRefusal(.early)
        } else if let reason = state.refusal(row.key) {
          receipt.refusals[place] = RowRefusal(.refused, reason)
        } else if relation == .foreign {
          receipt.refusals[place] = RowRefusal(.foreign)
        } else if relation == .known {
          receipt.known += 1
        } else {
          state.rows[secret, default: [:]][row.key] = row
          state.rows[secret]?[row.key]?.follows = .none
          receipt.added += 1
        }
      }
      state.samples[secret, default: []].formUnion(samples.map(\.id))
      receipt.firstOpenDay = state.firstOpenDay
      receipt.sampleLimits = state.sampleLimits
      if state.losesAnswers { throw Self.away }
      return receipt
    }
  }

  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [RowVersion?] {
    let decoded: StateVersions
    do throws(Failure) { decoded = try StateVersions(decoding: rows.encoded()) } catch {
      throw .refused(error)
    }
    return try state.withLock { state throws(DeliveryError) in
      if state.isDown { throw Self.away }
      if state.refusesToCompare { throw .refused(Failure(.data, "no")) }
      state.comparisons += 1
      return decoded.rows.map { key, version in
        key.day < state.firstOpenDay ? version : state.rows[decoded.secret]?[key]?.version
      }
    }
  }
}
