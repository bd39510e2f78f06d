import FirstlightModel
import FleetModel
import FleetTestSupport

extension FleetStore {
  /// Takes each process as of a host of its own.
  @discardableResult
  func take(_ processes: [CountedProcess], on today: FleetDay) async throws -> StateReceipt {
    var receipt = StateReceipt()
    for process in processes {
      let host = process.sample.map { $0.id.high ^ $0.id.low } ?? 0
      receipt.add(
        try await take(.counting([process], publisher: .test(host)), on: today), after: 0)
    }
    return receipt
  }

  /// Takes what hosts sent, one message after the other, and has the oracle take it, too.
  func take(
    _ messages: [PublishedStates], on today: FleetDay, expecting expected: inout StateOracle
  ) async throws {
    for message in messages {
      _ = try await take(message, on: today)
      expected.take(message)
    }
  }
}
