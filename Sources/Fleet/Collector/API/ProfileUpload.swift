import FirstlightModel
import FleetModel
import HTTPTransport
import ProfileFile
import SystemSupport

/// Uploads the runs of profiles to a daemon, and counts the outcomes.
package struct ProfileUpload {
  private let client: FleetClient
  /// Runs that were new to the daemon.
  package private(set) var added = 0
  /// Runs that the daemon already had.
  package private(set) var known = 0
  /// Runs that the daemon did not accept, because their day has not begun by its clock.
  package private(set) var early = 0
  /// The reasons for refused runs.
  package private(set) var refused: Set<TextBytes> = []

  package init(to client: FleetClient) { self.client = client }

  package mutating func send(_ run: RunStates) async throws(Failure) {
    var receipt = StateReceipt()
    for batch in run.batches {
      let compressed = try Deflate.compress(batch)
      do throws(UploadError) {
        receipt.add(try await client.upload(batch: compressed), after: 0)
      } catch { throw error.failure }
    }
    refused.formUnion(Set(texts: receipt.refusals.values.compactMap(\.reason)))
    if receipt.added > 0 {
      added += 1
    } else if !receipt.places(.early).isEmpty {
      early += 1
    } else if receipt.known > 0 {
      known += 1
    }
  }
}
