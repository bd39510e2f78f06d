import FirstlightModel
import FleetModel

/// The closed days that a server knows of.
struct ClosedDays: Hashable, Sendable {
  /// Rows of earlier days are refused.
  var open = FleetDay(number: 0)
  /// Earlier days are added up.
  var summed = FleetDay(number: 0)

  func raised(to other: ClosedDays) -> ClosedDays {
    ClosedDays(open: max(open, other.open), summed: max(summed, other.summed))
  }
}

/// Closes days in steps. First each server records that a day is closed; receivers refuse its rows from
/// then on. After a delay, when rows accepted earlier have arrived, the day is added up, and each server
/// records that. After another one, when no question reads them any more, the day's rows are deleted.
extension ClickHouseFleetStore {
  package func firstOpenDay() async throws -> FleetDay { try await on(days).open }

  /// - Throws: `.unavailable` if the server does not know yet.
  func days(_ server: ClickHouseServer) async throws(Failure) -> ClosedDays {
    guard let days = try await storedDays(server) else {
      throw Failure(.unavailable, "\(server.name): waits for the others, to join the store")
    }
    return days
  }

  /// - Parameter delay: ignores what the server learnt within this many seconds.
  func storedDays(
    _ server: ClickHouseServer, for delay: Int = 0
  ) async throws(Failure) -> ClosedDays? {
    let isKnown = "at <= now() - \(delay)"
    let rows = try await server.read(
      """
      SELECT max(if(\(isKnown), open, toDate(0))), max(if(\(isKnown), summed, toDate(0))), count()
      FROM days
      """
    ) { row throws(Failure) in
      let days = ClosedDays(open: try row.day(), summed: try row.day())
      return try row.integer(UInt64.self) == 0 ? nil : days
    }
    return rows.first ?? nil
  }

  func insert(_ days: ClosedDays, on server: ClickHouseServer) async throws(Failure) {
    try await server.run(
      """
      INSERT INTO days (open, summed) VALUES (\(SQLText.day(days.open)), \(SQLText.day(days.summed)))
      """)
  }

  package func close(before day: FleetDay) async throws -> Int {
    // A server that was unavailable at the creation of the tables gets them now.
    try await prepareServers()
    var days = try await on(days)
    days.open = max(days.open, day)
    var isComplete = true
    var closed = days.open
    for server in servers {
      do throws(Failure) {
        try await raise(days, on: server)
        let known = try await storedDays(server, for: tuning.closingDelay)
        closed = min(closed, known?.open ?? FleetDay(number: 0))
        days.summed = max(days.summed, try await self.days(server).summed)
      } catch {
        guard error.kind == .unavailable else { throw error }
        isComplete = false
      }
    }
    let isClosed = "NOT (\(ClickHouseSchema.isNotBefore(closed)))"
    let isNew = "day >= \(SQLText.day(days.summed))"
    let new = try await rows(
      "SELECT DISTINCT day FROM sums WHERE \(isClosed) AND \(isNew) ORDER BY day",
      allowingGaps: false
    ) { row throws(Failure) in try row.day() }
    // A replica that is away may have rows that the others lack.
    guard isComplete else { return 0 }
    try await sync(["sums", "dropped"])
    for day in new {
      let statement = summation(of: day)
      try await on { server throws(Failure) in
        var patient = server
        patient.timeout = 600
        try await patient.run(statement)
      }
    }
    try await sync(["closed"])
    days.summed = max(days.summed, closed)
    for server in servers {
      try await raise(days, on: server)
      try await dropSummed(server)
    }
    try await trimSamples()
    return new.count
  }

  private func raise(_ days: ClosedDays, on server: ClickHouseServer) async throws(Failure) {
    let known = try await self.days(server)
    let raised = known.raised(to: days)
    if raised != known { try await insert(raised, on: server) }
  }

  /// Deletes the rows of days that are added up, also those that arrived too late.
  private func dropSummed(_ server: ClickHouseServer) async throws(Failure) {
    let known = try await storedDays(server, for: tuning.droppingDelay)
    let table = schema.local("sums")
    let isOpen = ClickHouseSchema.isNotBefore(known?.summed ?? FleetDay(number: 0))
    let days = try await server.read("SELECT DISTINCT day FROM \(table) WHERE NOT (\(isOpen))") {
      row throws(Failure) in try row.day()
    }
    for day in days {
      try await server.run("ALTER TABLE \(table) DROP PARTITION \(SQLText.day(day))")
    }
  }

  /// Waits until replicas have all rows of the tables.
  private func sync(_ tables: [String]) async throws(Failure) {
    guard address.isReplicated else { return }
    for server in servers {
      for table in tables { try await server.run("SYSTEM SYNC REPLICA \(schema.local(table))") }
    }
  }

  package func receivedDays() async throws -> [FleetDay] {
    let isOpen = ClickHouseSchema.isNotBefore(try await firstOpenDay())
    let days = try await liveRows("received", where: isOpen, by: "received") {
      row throws(Failure) in try row.day()
    }
    return Set(days).sorted()
  }
}

extension ClickHouseFleetStore {
  /// The statement that adds up the rows of a day into one row of `PublisherID.closedDay` for each series.
  ///
  /// The version is the number of added rows: if another daemon adds up what is left of a day whose rows
  /// are being deleted, its sums do not count.
  func summation(of day: FleetDay) -> String {
    let key = SQLText.stateKey
    let totals = ClickHouseSchema.totals
    let arrays =
      ClickHouseSchema.names + ClickHouseSchema.starts + ClickHouseSchema.called + ["unseen"]
    /// A SELECT with some of the columns; the others are zero or empty.
    func part(_ values: [String: String], _ from: String) -> String {
      let zero = (["added", "got", "is_executable"] + totals).map {
        "\(values[$0] ?? "0") AS s_\($0)"
      }
      let empty = arrays.enumerated().map { "\(values[$1] ?? "[]") AS a_\($0)" }
      return "SELECT \(key), \((zero + empty).joined(separator: ", ")) FROM \(from) GROUP BY \(key)"
    }
    func rows(_ arrays: String = "") -> String {
      live("sums", arrays, where: "day = \(SQLText.day(day))")
    }
    func list(_ columns: [String]) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: columns.enumerated().map { ($1, "groupArray(v_\($0))") })
    }
    var sums = Dictionary(
      uniqueKeysWithValues: SeriesTotals.counts.map { ($0.column, SQLText.sum($0.column)) })
    sums["microseconds"] = "sum(microseconds)"
    sums["added"] = "count()"
    sums["got"] = "toUInt16(max(received))"
    sums["is_executable"] = "max(executable)"
    let parts = [
      part(sums, rows()),
      part(
        list(ClickHouseSchema.names),
        """
        (SELECT \(key), name.program AS v_0, min(name.path) AS v_1, \(SQLText.sum("name.runs")) AS v_2
        FROM \(rows("name")) GROUP BY \(key), v_0 ORDER BY \(key), v_0)
        """),
      part(
        list(ClickHouseSchema.starts),
        """
        (SELECT \(key), start.stage AS v_0, start.bucket AS v_1,
          \(SQLText.sum("start.starts")) AS v_2
        FROM \(rows("start")) GROUP BY \(key), v_0, v_1)
        """),
      part(
        list(ClickHouseSchema.called),
        """
        (SELECT \(key), called.guard AS v_0, \(SQLText.sum("called.runs")) AS v_1,
          \(SQLText.sum("called.hosts")) AS v_2,
          min(called.first) AS v_3, max(called.last) AS v_4, \(Self.leastCaller) AS v_5
        FROM \(rows("called")) GROUP BY \(key), v_0 ORDER BY \(key), v_0)
        """),
      part(
        ["unseen": "groupArrayArray(v)"],
        // Each bound where the number of open ranges, less that of the rows (`everyRow`), becomes 0 or no longer is.
        """
        (SELECT \(key), arrayFilter((x, y, z) -> (y = 0) != (z = 0), bounds, arrayPopFront(depths),
          arrayPopBack(depths)) AS v
        FROM (SELECT \(key), arrayPopBack(groupArray(f)) AS bounds,
            arrayCumSum(arrayPushFront(arrayPopBack(groupArray(n)), -groupArray(n)[-1])) AS depths
          FROM (SELECT \(key), f, \(Self.step) AS n FROM \(rows(Self.bounds))
            GROUP BY \(key), f ORDER BY \(key), f)
          GROUP BY \(key)))
        """),
    ]
    return """
      INSERT INTO closed (\(key), publisher, row_version, received, executable, functions,
        \((totals + arrays).joined(separator: ", ")))
      SELECT \(key), \(SQLText.quoted(PublisherID.closedDay.description)), sum(s_added),
        toDate(max(s_got)), max(s_is_executable),
        toUInt32(length(groupArrayArray(a_\(arrays.firstIndex(where: { $0 == "called.guard" }) ?? 0)))),
        \(totals.map { "sum(s_\($0))" }.joined(separator: ", ")),
        \(arrays.indices.map { "groupArrayArray(a_\($0))" }.joined(separator: ", "))
      FROM (\(parts.joined(separator: " UNION ALL "))) GROUP BY \(key) \(Self.fewRows)
      """
  }
}
