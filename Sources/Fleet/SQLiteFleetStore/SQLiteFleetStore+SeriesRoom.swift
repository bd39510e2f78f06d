import FleetModel
import GRDB

/// The room for further series within one transaction.
struct SeriesRooms {
  private struct Place: Hashable {
    var build: Int64
    var day: FleetDay
  }

  private var rooms: [Place: SeriesRoom] = [:]

  /// - Returns: whether a row of a build may be stored.
  mutating func admit(_ key: StateKey, build: Int64, in database: Database) throws -> Bool {
    let place = Place(build: build, day: key.day)
    if rooms[place] == nil {
      rooms[place] = SeriesRoom(try Self.labels(of: build, on: key.day, in: database))
    }
    return rooms[place]?.admit(key.labels) ?? true
  }

  /// The sets of labels of a build on a day, by one look-up each: a day can have a row of each host.
  private static func labels(
    of build: Int64, on day: FleetDay, in database: Database
  ) throws -> [FleetLabels] {
    let statement = try database.cachedStatement(
      sql: """
        WITH RECURSIVE first(id) AS (
          SELECT (
            SELECT id FROM state WHERE build = :build AND day = :day
            ORDER BY version, labels, publisher LIMIT 1)
          UNION ALL
          -- Two queries, since SQLite 3.40 uses an index for the first part of a row value only.
          SELECT coalesce((
            SELECT state.id FROM state
            WHERE build = :build AND day = :day AND version = last.version
              AND labels > last.labels
            ORDER BY labels, publisher LIMIT 1), (
            SELECT state.id FROM state
            WHERE build = :build AND day = :day AND version > last.version
            ORDER BY version, labels, publisher LIMIT 1))
          FROM first JOIN state AS last ON last.id = first.id LIMIT :limit
        )
        SELECT version, labels FROM first JOIN state ON state.id = first.id
        """)
    return try Row.fetchAll(
      statement, arguments: ["build": build, "day": day.number, "limit": SeriesRoom.limit + 1]
    ).compactMap { FleetLabels(version: try $0.value(0), text: try $0.value(1)) }
  }
}
