import FirstlightModel
import FleetModel

/// Where batches go from the outbox.
protocol FleetSink: Sendable {
  /// For messages.
  var name: String { get }

  /// Hands over a batch for good.
  /// - Throws: `.unavailable` if it is worth trying again; else this batch will never be taken.
  func deliver(_ batch: [UInt8], traces: Int) async throws(Failure) -> IngestReceipt
}

/// A store of our own.
struct StoreSink: FleetSink {
  let store: any FleetStore
  var name: String { store.name }

  func deliver(_ batch: [UInt8], traces: Int) async throws(Failure) -> IngestReceipt {
    let decoded = try Self.decode(batch)
    do { return try await store.ingest(decoded, on: FleetDay(of: WallClock.now())) } catch {
      throw (error as? Failure) ?? Failure(.unavailable, "\(store.name): \(error)")
    }
  }

  static func decode(_ batch: [UInt8]) throws(Failure) -> [FleetTrace] {
    var result: Result<[FleetTrace], Failure> = .success([])
    batch.withUnsafeBytes { bytes in
      result = Result { () throws(Failure) in try FleetBatch.decode(bytes) }
    }
    return try result.get()
  }
}
