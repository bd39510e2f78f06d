import FirstlightModel
import FleetModel
import Foundation
import GRDB
import SQLiteSupport
import Synchronization

/// The batches of traces that waited in a ledger of an earlier version: they are added to its sums.
///
/// A batch that the receiver took and did not acknowledge is counted twice, since it looks like the others.
package final class EarlierOutbox: Sendable {
  package typealias Inflate = @Sendable ([UInt8]) throws(Failure) -> [UInt8]

  /// What became of them.
  package struct Report: Hashable, Sendable {
    package var batches = 0
    package var traces = 0
    /// Those that could not be read, or not be counted.
    package var damagedBatches = 0
    package var lostTraces = 0

    package init() {}
  }

  private let inflate: Inflate
  private let state = Mutex(Report())

  init(_ inflate: @escaping Inflate) { self.inflate = inflate }

  /// Nil if there was none.
  var report: Report? { state.withLock { $0 == Report() ? nil : $0 } }

  func count(in database: Database) throws {
    var report = Report()
    let uptime = try Double.fetchOne(database, sql: "SELECT seconds FROM uptime") ?? 0
    let rows = StateRows(database, uptime: uptime)
    for id in try Int64.fetchAll(database, sql: "SELECT id FROM outbox ORDER BY id") {
      guard
        let row = try Row.fetchOne(
          database, sql: "SELECT traces, batch FROM outbox WHERE id = ?", arguments: [id])
      else { continue }
      let said: Int = try row.value(0)
      let batch: Data = try row.value(1)
      guard let traces = try? FleetBatch.countable(try inflate(Array(batch))) else {
        report.damagedBatches += 1
        report.lostTraces += said
        continue
      }
      report.batches += 1
      report.traces += traces.count
      report.lostTraces += try rows.count(traces).reduce(0) { $0 + $1.runs }
    }
    state.withLock { $0 = report }
  }
}
