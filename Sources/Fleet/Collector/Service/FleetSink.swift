import FirstlightModel
import FleetAPI
import FleetModel

/// Why a batch was not delivered.
enum DeliveryError: Error {
  /// Its receiver has seen this very batch, and will never take it.
  case refused(Failure)
  /// All else, whatever it looks like: the batch waits. `retryAfter`: seconds after which a receiver that
  /// works, and has too much to do, wants it again.
  case failed(Failure, retryAfter: Double? = nil)
}

/// Where batches go from the outbox.
protocol FleetSink: Sendable {
  /// For messages.
  var name: String { get }

  /// Hands over a batch for good.
  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> IngestReceipt
}

/// A store of our own.
struct StoreSink: FleetSink {
  let name: String
  let batches: BatchIntake

  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> IngestReceipt {
    try await batches.take(
      batch, inflatedLimit: Deflate.isCompressed(batch) ? OutboxBytes.limit : nil)
  }
}
