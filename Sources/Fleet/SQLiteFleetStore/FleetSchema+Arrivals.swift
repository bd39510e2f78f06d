import FirstlightModel
import FleetModel
import Foundation
import GRDB

/// What step 5 fills in, of a store that did not know.
extension FleetSchema {
  /// Assumes when evidence came.
  static func fillArrivals(in database: Database) throws {
    let today = FleetDay(of: Date().timeIntervalSince1970)
    for number in try Int32.fetchAll(database, sql: "SELECT DISTINCT day FROM series") {
      let arrival = StoreInventory.Day.assumedArrival(of: FleetDay(number: number), today: today)
      try database.execute(
        cachedSQL: "UPDATE series SET received = ? WHERE day = ?",
        arguments: [arrival.number, number])
    }
  }

  /// Notes on which day each trace began.
  static func fillSampleDays(in database: Database) throws {
    for id in try Int64.fetchAll(database, sql: "SELECT id FROM sampled_trace") {
      let bytes =
        try Data.fetchOne(
          database, sql: "SELECT trace FROM sampled_trace WHERE id = ?", arguments: [id]) ?? Data()
      let traces = try bytes.withUnsafeBytes { bytes throws(Failure) in
        try FleetBatch.decode(bytes)
      }
      try database.execute(
        cachedSQL: "UPDATE sampled_trace SET day = ? WHERE id = ?",
        arguments: [FleetDay(of: traces.first?.startedAt ?? 0).number, id])
    }
  }
}
