import FirstlightModel
import FleetAPI
import FleetModel

/// Sends the runs of profiles to a daemon, and counts what became of them.
package struct ProfileUpload {
  private let client: FleetClient
  /// Runs that were new to the daemon.
  package private(set) var added = 0
  /// Runs that it had already.
  package private(set) var known = 0
  /// Runs that it did not take, since by its clock their day has not begun.
  package private(set) var early = 0
  /// Why it refused runs.
  package private(set) var refused: Set<String> = []

  package init(to client: FleetClient) { self.client = client }

  package mutating func send(_ run: RunStates) async throws(Failure) {
    var receipt = StateReceipt()
    for batch in run.batches {
      let compressed = try Deflate.compress(batch)
      do throws(UploadError) {
        receipt.add(try await client.upload(batch: compressed), after: 0)
      } catch { throw error.failure }
    }
    refused.formUnion(receipt.refused.map(\.reason))
    if receipt.added > 0 {
      added += 1
    } else if !receipt.early.isEmpty {
      early += 1
    } else if receipt.known > 0 {
      known += 1
    }
  }
}
