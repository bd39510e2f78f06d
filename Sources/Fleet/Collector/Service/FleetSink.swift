import FirstlightModel
import FleetModel

/// The receiver of a ledger's rows.
protocol FleetSink: Sendable {
  /// The name in messages.
  var name: String { get }
  /// Whether the sink is a store of this host. Such a store gets rows sooner, and with the paths of images.
  var isOfThisHost: Bool { get }

  /// Delivers rows and samples.
  /// - Parameter batch: as `StateBatch` encodes them.
  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt

  /// The versions of rows in the sink; see `FleetStore.versions`.
  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [RowVersion?]
}

/// A store that this daemon writes.
struct StoreSink: FleetSink {
  let name: String
  let isOfThisHost = true
  let states: StateIntake

  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt {
    try await states.take(batch)
  }

  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [RowVersion?] {
    try await states.versions(rows)
  }
}

/// Why rows were not delivered.
enum DeliveryError: Error {
  /// The receiver has read this batch, and will never accept it.
  case refused(Failure)
  /// Any other reason; the rows wait. `retryAfter`: the delay in seconds that an overloaded receiver asks for.
  case failed(Failure, retryAfter: Double? = nil)
}
