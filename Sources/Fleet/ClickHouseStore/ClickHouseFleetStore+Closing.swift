import FirstlightModel
import FleetModel

/// Closes days in two steps. First each server records that a day is closed; receivers refuse its rows
/// from then on. After a delay, when rows accepted earlier have arrived, each shard adds the day up.
extension ClickHouseFleetStore {
  package func firstOpenDay() async throws -> FleetDay {
    try await ofAll(allowingGaps: true) { server throws(Failure) in
      try await self.openDay(of: server)
    }.max() ?? FleetDay(number: 0)
  }

  private func openDay(of server: ClickHouseServer) async throws(Failure) -> FleetDay {
    try await server.read("SELECT max(day) FROM open_days") { row throws(Failure) in
      try row.day()
    }.first ?? FleetDay(number: 0)
  }

  package func close(before day: FleetDay) async throws -> Int {
    // A server that was unavailable at the creation of the tables gets them now.
    try await prepareServers()
    var days: Set<FleetDay> = []
    var failure: Failure?
    for shard in try await servers.shards() {
      do throws(Failure) {
        if shard.replicas.isEmpty { throw Failure(.unavailable, "\(name): \(shard.absence)") }
        for (server, _) in shard.replicas { try await raise(day, on: server) }
        days.formUnion(try await addUp(shard))
        try await on(shard) { server throws(Failure) in try await self.trimSamples(server) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return days.count
  }

  private func raise(_ day: FleetDay, on server: ClickHouseServer) async throws(Failure) {
    guard try await openDay(of: server) < day else { return }
    var rows = RowWriter()
    rows.row()
    rows.add(day)
    try await server.insert(rows, into: "open_days", columns: "day")
  }

  /// Adds up the days that all servers of a shard have known to be closed for `closingDelay`. If a
  /// server is unavailable, a later call does it.
  private func addUp(_ shard: ShardServers.Shard) async throws(Failure) -> Set<FleetDay> {
    guard shard.replicas.count == shard.names.count else { return [] }
    var closed: FleetDay?
    for (server, _) in shard.replicas {
      let known = try await server.read(
        "SELECT max(day) FROM open_days WHERE at <= now() - \(tuning.closingDelay)"
      ) { row throws(Failure) in try row.day() }
      let day = known.first ?? FleetDay(number: 0)
      closed = min(closed ?? day, day)
    }
    guard let closed, let server = shard.replicas.first?.server else { return [] }
    let condition = "day < \(SQLText.day(closed)) AND day != \(SQLText.day(.undated))"
    let open = "SELECT DISTINCT day FROM sums WHERE \(condition) ORDER BY day"
    guard try await !server.read(open, { row throws(Failure) in try row.day() }).isEmpty else {
      return []
    }
    // The sums need all rows, so the replica first fetches missing ones.
    try await sync(["sums", "dropped", "closed_days"], on: [server])
    let known = try await server.read("SELECT DISTINCT day FROM closed_days") {
      row throws(Failure) in try row.day()
    }
    var days: Set<FleetDay> = []
    for day in try await server.read(open, { row throws(Failure) in try row.day() }) {
      if !known.contains(day) {
        try await addUp(day, of: shard, on: server)
        days.insert(day)
      }
      // Also drops rows that arrived too late.
      try await server.run("ALTER TABLE sums DROP PARTITION \(SQLText.day(day))")
    }
    return days
  }

  /// Safe to repeat, or to run by two daemons at once: the sums are the same.
  private func addUp(
    _ day: FleetDay, of shard: ShardServers.Shard, on server: ClickHouseServer
  ) async throws(Failure) {
    var patient = server
    patient.timeout = 600
    try await patient.run(DaySummation.statement(day))
    // Each replica needs the sums before it ignores the rows, and must ignore the rows before they are dropped.
    try await sync(["closed"], on: shard.replicas.map(\.server))
    var rows = RowWriter()
    rows.row()
    rows.add(day)
    try await server.insert(rows, into: "closed_days")
    try await sync(["closed_days"], on: shard.replicas.map(\.server))
  }

  /// Waits until replicas have all rows of the tables.
  private func sync(
    _ tables: [String], on servers: [ClickHouseServer]
  ) async throws(Failure) {
    guard address.isReplicated else { return }
    for server in servers {
      for table in tables { try await server.run("SYSTEM SYNC REPLICA \(table)") }
    }
  }

  package func receivedDays() async throws -> [FleetDay] {
    let days = try await ofAll(allowingGaps: true) { server throws(Failure) in
      let first = try await self.openDay(of: server)
      let condition = "day >= \(SQLText.day(first)) OR day = \(SQLText.day(.undated))"
      return try await self.readLive(
        "SELECT DISTINCT received FROM \(Self.live([], where: condition))", on: server
      ) { row throws(Failure) in try row.day() }
    }
    return Set(days.joined()).sorted()
  }
}

/// Adds up the rows of a day into one row of `PublisherID.closedDay` for each series.
enum DaySummation {
  /// The statement that adds up a day. It combines five kinds of rows for each series: totals,
  /// names, start-ups by bucket, functions, and functions that are unwatched in all rows.
  ///
  /// The version is the number of added rows. If two daemons add up at once, and one of them misses
  /// rows that the other has already dropped, its version is lower and does not count.
  static func statement(_ day: FleetDay) -> String {
    let key = SQLText.stateKey
    let totals = ClickHouseSchema.totals
    let zeros = totals.map { $0 == "microseconds" ? "toFloat64(0)" : "toUInt64(0)" }
    let nothing = "toDate('1970-01-01') AS got, toUInt8(0) AS isExecutable"
    let noTotals = zip(totals, zeros).map { "\($1) AS s_\($0)" }.joined(separator: ", ")
    let noNames = """
      emptyArrayString() AS names_, emptyArrayString() AS paths_, emptyArrayUInt64() AS named_
      """
    let noStarts = """
      emptyArrayString() AS stages, emptyArrayInt32() AS buckets, emptyArrayUInt64() AS starts
      """
    let noCalls = """
      emptyArrayUInt32() AS guards_, emptyArrayUInt64() AS runs_, emptyArrayUInt64() AS hosts_,
        emptyArrayUInt8() AS first_, emptyArrayUInt8() AS last_
      """
    let noFunctions = "emptyArrayUInt32() AS unwatched_, \(noCalls)"
    // Each row gets this number, so that its count is the number of rows: functions with that count are in all
    // rows. A join with the number of rows would wait for ever: for another daemon's DROP PARTITION, which waits
    // for this statement.
    let last = ClickHouseFleetStore.everyRow
    let names = ["program", "path", "runs"].map { "name.\($0)" }
    let starts = ["stage", "bucket", "starts"].map { "start.\($0)" }
    let called = ["guard", "runs", "hosts", "first", "last"].map { "called.\($0)" }
    func published(_ columns: [String]) -> String {
      ClickHouseFleetStore.published(columns, of: day)
    }
    let arrays = [
      "names_", "paths_", "named_", "stages", "buckets", "starts", "guards_", "runs_", "hosts_",
      "first_", "last_", "unwatched_",
    ]
    let closed = SQLText.quoted(PublisherID.closedDay.description)
    return """
      INSERT INTO closed (\(key), publisher, row_version, received, executable,
        functions, \(totals.joined(separator: ", ")), \((names + starts + called).joined(separator: ", ")),
        unwatched)
      SELECT \(key), \(closed), sum(added), max(got), max(isExecutable),
        toUInt32(length(groupArrayArray(guards_))),
        \(totals.map { "sum(s_\($0))" }.joined(separator: ", ")),
        \(arrays.map { "groupArrayArray(\($0))" }.joined(separator: ", "))
      FROM (
        SELECT \(key), count() AS added, max(received) AS got,
          max(executable) AS isExecutable,
          \(totals.map { "sum(\($0)) AS s_\($0)" }.joined(separator: ", ")),
          \(noNames), \(noStarts), \(noFunctions)
        FROM \(published(["executable"] + totals)) GROUP BY \(key)
        UNION ALL
        SELECT \(key), toUInt64(0) AS added, \(nothing), \(noTotals), groupArray(a) AS names_,
          groupArray(b) AS paths_, groupArray(c) AS named_, \(noStarts), \(noFunctions)
        FROM (
          SELECT \(key), name.program AS a, min(name.path) AS b, sum(name.runs) AS c
          FROM \(published(names)) ARRAY JOIN name GROUP BY \(key), a ORDER BY \(key), a
        ) GROUP BY \(key)
        UNION ALL
        SELECT \(key), sum(n) AS added, \(nothing), \(noTotals), \(noNames), groupArray(a) AS stages,
          groupArray(b) AS buckets, groupArray(c) AS starts, \(noFunctions)
        FROM (
          SELECT \(key), count() AS n, start.stage AS a, start.bucket AS b, sum(start.starts) AS c
          FROM \(published(starts)) ARRAY JOIN start GROUP BY \(key), a, b
        ) GROUP BY \(key)
        UNION ALL
        SELECT \(key), sum(n) AS added, \(nothing), \(noTotals), \(noNames), \(noStarts),
          emptyArrayUInt32() AS unwatched_, groupArray(a) AS guards_, groupArray(b) AS runs_,
          groupArray(c) AS hosts_, groupArray(d) AS first_, groupArray(e) AS last_
        FROM (
          SELECT \(key), count() AS n, called.guard AS a, sum(called.runs) AS b,
            sum(called.hosts) AS c, min(called.first) AS d, max(called.last) AS e
          FROM \(published(called)) ARRAY JOIN called GROUP BY \(key), a ORDER BY \(key), a
        ) GROUP BY \(key)
        UNION ALL
        SELECT \(key), toUInt64(0) AS added, \(nothing), \(noTotals), \(noNames), \(noStarts),
          arrayFilter(x -> x != \(last), g) AS unwatched_, \(noCalls)
        FROM (
          SELECT \(key), n, groupArray(a) AS g FROM (
            SELECT \(key), a, count() AS n FROM (
              SELECT \(key), arrayJoin(arrayPushBack(unwatched, \(last))) AS a
              FROM \(published(["unwatched"]))
            ) GROUP BY \(key), a ORDER BY \(key), a
          ) GROUP BY \(key), n
        ) WHERE has(g, \(last))
      ) GROUP BY \(key)
      \(ClickHouseFleetStore.fewRows)
      """
  }
}
