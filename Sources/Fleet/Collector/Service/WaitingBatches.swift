import FleetModel
import Synchronization

/// A batch that a request waits for.
final class WaitingBatch: Sendable {
  /// Maybe deflated.
  let body: [UInt8]
  /// The most bytes that a deflated batch may become; nil if it is none.
  let inflatedLimit: Int?
  private let state = Mutex<Result<StateReceipt, DeliveryError>?>(nil)

  init(_ body: [UInt8], inflatedLimit: Int?) {
    self.body = body
    self.inflatedLimit = inflatedLimit
  }

  /// Nil as long as it waits.
  var result: Result<StateReceipt, DeliveryError>? { state.withLock { $0 } }

  func finish(_ result: Result<StateReceipt, DeliveryError>) { state.withLock { $0 = result } }
}

/// Batches in the order in which they came.
final class WaitingBatches: Sendable {
  private let batches = Mutex<[WaitingBatch]>([])

  var count: Int { batches.withLock { $0.count } }

  func append(_ batch: WaitingBatch) { batches.withLock { $0.append(batch) } }

  func next() -> WaitingBatch? { batches.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
