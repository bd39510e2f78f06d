import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
import SQLiteSupport

/// A row of `build`: a build according to its senders.
struct BuildRow {
  var id: Int64
  var key: BuildKey
  var guardCount: Int
}

extension Row {
  /// The columns build_id and recorder.
  func build(_ column: Int) throws -> BuildKey {
    let (id, name): (String, String) = (try value(column), try value(column + 1))
    guard let buildID = BuildID(id), let recorder = Recorder(rawValue: name) else {
      throw Damage("build \"\(id)\", recorder \"\(name)\"")
    }
    return BuildKey(buildID: buildID, recorder: recorder)
  }
}

/// A row with impossible contents.
struct Damage: Error {
  var what: String

  init(_ what: String) { self.what = what }
}

/// Writes and reads rows of `state`, each with its functions in `called`.
enum StateRow {
  /// Writes a row if it is newer than the store's.
  ///
  /// - Returns: how the row's version relates to the store's, and the names of the row that it replaced.
  @discardableResult
  static func write(
    _ state: SeriesState, of publisher: PublisherID, build: Int64, on received: FleetDay,
    in database: Database
  ) throws -> (relation: RowVersion.Relation, replaced: ImageNames) {
    let known = try row(of: publisher, state.key, build: build, in: database)
    let relation = state.version.relation(to: known?.version, follows: state.follows)
    guard relation == .newer else { return (relation, ImageNames()) }
    let owner = BuildRow(id: build, key: state.key.build, guardCount: state.key.guardCount)
    let replaced =
      try known.map { try names(ofRow: $0.id, of: owner, in: database) } ?? ImageNames()
    var (times, functions) = (state, state)
    (times.callers, times.sums) = ([:], GuardSums(guardCount: state.key.guardCount))
    times.unseen = UnseenFunctions()
    (functions.names, functions.callers) = (ImageNames(), [:])
    (functions.startups, functions.stages) = (StartupHistogram(), StageHistograms())
    try database.execute(
      cachedSQL: writing,
      arguments: [
        build, state.key.day.number, state.key.labels.version, state.key.labels.text,
        Data(publisher.bytes), SortableHash.column(state.version.rawValue), received.number,
        state.sums.calledCount,
      ] + StatementArguments(SeriesTotals.counts.map { state.totals[keyPath: $0.path] })
        + [state.totals.seconds, Data(times.encoded())])
    try database.execute(
      cachedSQL: "INSERT OR REPLACE INTO called VALUES (?, ?)",
      arguments: [known?.id ?? database.lastInsertedRowID, Data(functions.encoded())])
    return (.newer, replaced)
  }

  private static let writing: String = {
    let totals = SeriesTotals.counts.map(\.column)
    let changed = ["row_version", "called"] + totals + ["seconds", "times"]
    return """
      INSERT INTO state VALUES
        (NULL, ?, ?, ?, ?, ?, ?, ?, ?, \(totals.map { _ in "?, " }.joined())?, ?)
      ON CONFLICT (build, day, version, labels, publisher) DO UPDATE SET
        received = max(received, excluded.received),
        \(changed.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """
  }()

  private static func names(
    ofRow id: Int64, of build: BuildRow, in database: Database
  ) throws -> ImageNames {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT id, times FROM state WHERE id = ?"), arguments: [id])
    return try row.map { try decode($0, 1, of: build).names } ?? ImageNames()
  }

  /// A publisher's row.
  static func row(
    of publisher: PublisherID, _ key: StateKey, build: Int64, in database: Database
  ) throws -> (id: Int64, version: RowVersion)? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT id, row_version FROM state
        WHERE build = ? AND day = ? AND version = ? AND labels = ? AND publisher = ?
        """)
    return try Row.fetchOne(
      statement,
      arguments: [
        build, key.day.number, key.labels.version, key.labels.text, Data(publisher.bytes),
      ]
    ).map { (try $0.value(0), RowVersion(rawValue: SortableHash.hash(try $0.value(1)))) }
  }

  /// Calls `body` for each selected row, sorted by day and labels.
  /// - Parameter functions: true reads functions but no start-up times, false the reverse.
  static func forEach(
    of build: BuildRow, in wanted: FleetQuery, functions: Bool, _ database: Database,
    _ body: (SeriesState) throws -> Void
  ) throws {
    var conditions = "build = ?"
    var arguments: StatementArguments = [build.id]
    if let days = wanted.days {
      conditions += " AND day BETWEEN ? AND ?"
      arguments += [days.lowerBound.number, days.upperBound.number]
    }
    if let version = wanted.version {
      conditions += " AND version = ?"
      arguments += [version]
    }
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT state.id, day, version, labels, \(functions ? "functions" : "times") FROM state
          \(functions ? "JOIN called ON called.state = state.id" : "")
        WHERE \(conditions) ORDER BY day, version, labels, publisher
        """, arguments: arguments)
    var last: (text: String, isWanted: Bool)?
    while let row = try rows.next() {
      let text: String = try row.value(3)
      if last?.text != text || !wanted.labels.isEmpty {
        guard let labels = FleetLabels(version: try row.value(2), text: text) else {
          throw Damage("labels of row \(try row.value(0) as Int64)")
        }
        let day = FleetDay(number: try row.value(1))
        last = (text, wanted.contains(day: day, labels: labels))
      }
      if last?.isWanted == true { try body(decode(row, 4, of: build)) }
    }
  }

  /// Decodes a row.
  /// - Parameter row: its first column is the id of its row in `state`.
  static func decode(_ row: Row, _ column: Int, of build: BuildRow) throws -> SeriesState {
    do {
      let state = try row.withUnsafeData(atIndex: column) { data in
        try (data ?? Data()).withUnsafeBytes { try SeriesState(decoding: $0) }
      }
      guard state.key.guardCount == build.guardCount else {
        throw Failure(.data, "has \(state.key.guardCount) guards")
      }
      return state
    } catch let failure as Failure {
      throw Damage("row \(try row.value(0) as Int64): \(failure.problem)")
    }
  }
}
