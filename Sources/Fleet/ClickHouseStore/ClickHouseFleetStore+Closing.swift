import FirstlightModel
import FleetModel

/// Closes days, in two steps. First each server notes that a day is closed; receivers refuse its rows from
/// then on. After a delay, when rows that were accepted before have arrived, each shard adds the day up.
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
    // A server that was away when the tables were made gets them now.
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

  /// Adds up the days that all servers of a shard have known to be closed for `closingDelay`. If a server is
  /// away, a later call does.
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
    // The sums need all rows, so the replica gets those that it lacks first.
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
      // Rows that came too late go, too.
      try await server.run("ALTER TABLE sums DROP PARTITION \(SQLText.day(day))")
    }
    return days
  }

  /// Can be repeated, or run by two daemons at once: the sums are the same.
  private func addUp(
    _ day: FleetDay, of shard: ShardServers.Shard, on server: ClickHouseServer
  ) async throws(Failure) {
    var patient = server
    patient.timeout = 600
    try await patient.run(DaySummation.statement(day))
    // Each replica needs the sums before it ignores the rows, and ignores the rows before they go.
    try await sync(["closed"], on: shard.replicas.map(\.server))
    var rows = RowWriter()
    rows.row()
    rows.add(day)
    try await server.insert(rows, into: "closed_days")
    try await sync(["closed_days"], on: shard.replicas.map(\.server))
  }

  /// Waits until replicas have all rows of tables.
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
