import FirstlightModel
import FleetModel

/// Why rows were not delivered.
enum DeliveryError: Error {
  /// Its receiver has seen this very batch, and will never take it.
  case refused(Failure)
  /// Any other reason: the rows wait. `retryAfter`: the seconds to wait that a receiver with too much to do
  /// asks for.
  case failed(Failure, retryAfter: Double? = nil)
}

/// Where a ledger sends its rows.
protocol FleetSink: Sendable {
  /// For messages.
  var name: String { get }
  /// Whether it is a store of this host. Such a store gets rows sooner, and with the paths of images.
  var isOfThisHost: Bool { get }

  /// Hands over rows and samples for good.
  /// - Parameter batch: as `StateBatch` encodes them.
  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt

  /// The versions that it has of rows; see `FleetStore.versions`.
  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [UInt64?]
}

/// A store of our own.
struct StoreSink: FleetSink {
  let name: String
  let isOfThisHost = true
  let states: StateIntake

  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt {
    try await states.take(batch)
  }

  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [UInt64?] {
    try await states.versions(rows)
  }
}
