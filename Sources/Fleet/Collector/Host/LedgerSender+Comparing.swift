import FirstlightModel
import FleetModel
import IntakeLedger
import Logging

extension LedgerSender {
  /// Compares the versions of all rows with those that the receiver has.
  ///
  /// Rows that the receiver lacks are sent again, since a store may have lost its disk. If it has a later
  /// version than this ledger ever sent, another ledger with the same secret sent it: then this file is an
  /// older copy, and starts over.
  func compare() async throws(DeliveryError) {
    var last: Int64 = 0
    var again = 0
    while true {
      let rows = try inLedger { () throws(Failure) in try ledger.rowsToCompare(after: last) }
      guard let end = rows.last?.id else { break }
      last = end
      let versions: [UInt64?]
      do throws(DeliveryError) {
        versions = try await self.versions(rows.map { ($0.key, $0.acknowledged) })
      } catch {
        guard case .refused(let failure) = error else { throw error }
        // Sending goes on: rows that were not compared are better than no rows.
        logger.error(
          "cannot compare sums with the receiver",
          metadata: ["to": "\(sink.name)", "reason": "\(failure)"])
        break
      }
      if zip(rows, versions).contains(where: { $0.latest < $1 ?? 0 }) {
        try startAnew()
        break
      }
      again += try inLedger { () throws(Failure) in
        try ledger.sendAgain(zip(rows, versions).map { ($0, $1 ?? 0) })
      }
    }
    try inLedger { () throws(Failure) in try ledger.wasCompared() }
    if again > 0 {
      logger.notice(
        "the receiver lacks sums that it had: sending them again",
        metadata: ["to": "\(sink.name)", "rows": "\(again)"])
    }
  }

  func versions(
    _ rows: [(key: StateKey, version: UInt64)]
  ) async throws(DeliveryError) -> [UInt64?] {
    let secret = try inLedger { () throws(Failure) in try ledger.secret() }
    let versions = try await sink.versions(StateVersions(secret: secret, rows: rows))
    guard versions.count == rows.count else {
      throw .failed(
        Failure(
          .unavailable, "\(sink.name): \(versions.count) versions of \(rows.count) rows"))
    }
    return versions
  }

  func startAnew() throws(DeliveryError) {
    let lost = try inLedger { () throws(Failure) in try ledger.startAnew() }
    monitor.count(.lost, lost)
    logger.error(
      "the ledger is an older copy, and counts anew: the receiver has later sums of it",
      metadata: ["to": "\(sink.name)", "ledger": "\(ledger.path)", "lost runs": "at most \(lost)"])
  }
}
