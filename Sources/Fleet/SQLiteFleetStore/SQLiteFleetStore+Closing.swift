import FirstlightModel
import FleetModel
import GRDB

/// Closes days to further rows.
///
/// SQLite has one writer, so no row arrives for a day after it was closed: the sum of a closed day
/// has no other rows beside it.
extension SQLiteFleetStore {
  package func firstOpenDay() async throws -> FleetDay {
    try await read { try Self.firstOpenDay(in: $0) }
  }

  static func firstOpenDay(in database: Database) throws -> FleetDay {
    FleetDay(number: try Int32.fetchOne(database, sql: "SELECT day FROM first_open_day") ?? 0)
  }

  package func receivedDays() async throws -> [FleetDay] {
    try await read { database in
      try Int32.fetchAll(
        database,
        sql: "SELECT DISTINCT received FROM state WHERE \(FleetSchema.isOpen) ORDER BY received"
      ).map(FleetDay.init(number:))
    }
  }

  package func close(before day: FleetDay) async throws -> Int {
    let series = try await write { database in
      try database.execute(
        sql: "UPDATE first_open_day SET day = max(day, ?)", arguments: [day.number])
      return try Self.openSeries(before: try Self.firstOpenDay(in: database), in: database)
    }
    var days: Set<FleetDay> = []
    // A transaction for each, so that arriving rows need not wait for all of them.
    for (key, build) in series
    where try await write({ try Self.addUp(key, of: build, in: $0) }) {
      days.insert(key.day)
    }
    return days.count
  }

  /// The series to add up, including those left by an interrupted call.
  private static func openSeries(
    before day: FleetDay, in database: Database
  ) throws -> [(key: StateKey, build: Int64)] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT DISTINCT build, build_id, recorder, guards, day, version, labels FROM state
          JOIN build ON build.id = state.build
        WHERE \(FleetSchema.isOpen) AND day < ? AND day <> ?
        """, arguments: [day.number, FleetDay.undated.number]
    ).map { row in
      let id: Int64 = try row.value(0)
      guard let labels = FleetLabels(version: try row.value(5), text: try row.value(6)) else {
        throw Damage("a row of build \(id)")
      }
      let series = SeriesKey(
        build: try row.build(1), day: FleetDay(number: try row.value(4)), labels: labels)
      return (StateKey(series: series, guardCount: try row.value(3)), id)
    }
  }

  /// - Returns: false if another call has done it, or the rows were removed.
  private static func addUp(
    _ key: StateKey, of build: Int64, in database: Database
  ) throws -> Bool {
    let row = BuildRow(id: build, key: key.build, guardCount: key.guardCount)
    let series: StatementArguments = [
      build, key.day.number, key.labels.version, key.labels.text,
    ]
    let isSeries = "build = ? AND day = ? AND version = ? AND labels = ?"
    let received = try Int32.fetchOne(
      database.cachedStatement(
        sql: "SELECT max(received) FROM state WHERE \(isSeries) AND \(FleetSchema.isOpen)"),
      arguments: series)
    guard let received else { return false }
    var sum = SeriesState(key: key, version: 1, name: "", isExecutable: false)
    var functions = GuardSumsTally(guardCount: key.guardCount)
    var unseen: UnseenFunctions?
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT id, times, functions FROM state JOIN called ON called.state = state.id
          WHERE \(isSeries) ORDER BY publisher
          """), arguments: series)
    while let next = try rows.next() {
      sum.add(try StateRow.decode(next, 1, of: row))
      let state = try StateRow.decode(next, 2, of: row)
      functions.add(state.sums)
      unseen = unseen?.intersection(state.unseen) ?? state.unseen
    }
    sum.sums = functions.total
    sum.unseen = unseen ?? UnseenFunctions()
    try database.execute(cachedSQL: "DELETE FROM state WHERE \(isSeries)", arguments: series)
    try StateRow.write(
      sum, of: .closedDay, build: build, on: FleetDay(number: received), in: database)
    return true
  }
}
