import FirstlightModel
import FleetModel
import Foundation
import GRDB

/// The tables of step 7, which replace `series`, `coverage`, `startup`, `stage` and `known_trace`.
extension FleetSchema {
  /// `state` has a row for each publisher and `StateKey`; a series with a row of `PublisherID.closedDay` has
  /// no other row. `row_version` is in the form of `SortableHash`, `received` the last day on which a newer
  /// version arrived, by the receiver's clock, `called` the number of called functions. `times` is an encoded
  /// row without functions, `called.functions` an encoded row without start-up times. They are separate since
  /// lists of builds read neither, and functions take a hundred times more space than the rest.
  ///
  /// `first_open_day` has one row.
  static let states = """
    CREATE TABLE state (
      id INTEGER PRIMARY KEY,
      build INTEGER NOT NULL REFERENCES build(id),
      day INTEGER NOT NULL,
      version TEXT NOT NULL,
      labels TEXT NOT NULL,
      publisher BLOB NOT NULL,
      row_version INTEGER NOT NULL,
      received INTEGER NOT NULL,
      called INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      hosts INTEGER NOT NULL,
      program_runs INTEGER NOT NULL,
      processes INTEGER NOT NULL,
      seconds REAL NOT NULL,
      drops INTEGER NOT NULL,
      uncommitted INTEGER NOT NULL,
      lost_images INTEGER NOT NULL,
      unreadable_segments INTEGER NOT NULL,
      times BLOB NOT NULL,
      UNIQUE (build, day, version, labels, publisher)
    );
    CREATE INDEX state_by_day ON state (day, build, received);
    CREATE INDEX open_state ON state (day, received) WHERE \(isOpen);
    CREATE TABLE called (
      state INTEGER PRIMARY KEY REFERENCES state(id) ON DELETE CASCADE,
      functions BLOB NOT NULL
    );
    CREATE TABLE first_open_day (day INTEGER NOT NULL);
    INSERT INTO first_open_day VALUES (0);
    CREATE TABLE new_sampled_trace (
      id INTEGER PRIMARY KEY,
      program INTEGER NOT NULL REFERENCES build(id),
      publisher BLOB NOT NULL,
      high INTEGER NOT NULL,
      low INTEGER NOT NULL,
      family INTEGER NOT NULL,
      day INTEGER NOT NULL,
      trace BLOB NOT NULL,
      UNIQUE (program, publisher, high, low)
    );
    """

  /// The condition that a row of `state` belongs to a publisher and is not the sum of a closed day.
  static let isOpen = "publisher <> zeroblob(32)"
}

/// Fills the columns that step 5 added to older stores.
extension FleetSchema {
  /// Assumes the arrival of evidence.
  static func fillArrivals(in database: Database) throws {
    let today = FleetDay(of: Date().timeIntervalSince1970)
    for number in try Int32.fetchAll(database, sql: "SELECT DISTINCT day FROM series") {
      let arrival = StoreInventory.Day.assumedArrival(of: FleetDay(number: number), today: today)
      try database.execute(
        cachedSQL: "UPDATE series SET received = ? WHERE day = ?",
        arguments: [arrival.number, number])
    }
  }

  /// Records the day on which each trace began.
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
