import FirstlightModel
import FleetModel

/// Replicas in sync: those that have all rows of all live tags, as the log says. Only they are asked.
///
/// A tag is committed once all of them have its rows. One that does not answer is taken out by a commit of
/// its own; one that is back comes in by another, which fails if anything was committed meanwhile.
extension ClickHouseFleetStore {
  /// Seconds that a replica which answers may take for the rows of an attempt.
  private static let copyTime = Duration.seconds(10)

  /// Waits until all replicas in sync have the rows of a tag.
  /// - Returns: the state to commit after: it may have fewer of them.
  func secured(_ tag: UInt64, in state: LogState) async throws(ClickHouseError) -> LogState {
    guard let choice else { return state }
    var state = state
    for (asked, source) in choice.asked {
      let others = state.replicas.filter { $0.value && $0.key.shard == asked.shard }.keys
        .filter { $0 != asked }
      if others.isEmpty { continue }
      let rows = try await rows(of: tag, on: source)
      if rows.isEmpty { continue }
      for replica in others.sorted(by: { $0.native < $1.native }) {
        if let server = choice.present[replica], await has(rows, of: tag, server) { continue }
        state = try await change(replica, isInSync: false, after: state)
      }
    }
    return state
  }

  private func change(
    _ replica: Replica, isInSync: Bool, after state: LogState
  ) async throws(ClickHouseError) -> LogState {
    var next = state
    next.number += 1
    next.replicas[replica] = isInSync
    guard let log = choice?.log, try await log.take(next) else { throw .serversChanged }
    return next
  }

  private func has(_ rows: [String: UInt64], of tag: UInt64, _ server: ClickHouseServer) async
    -> Bool
  {
    var quick = server
    quick.timeout = 5
    let end = ContinuousClock.now.advanced(by: Self.copyTime)
    repeat {
      guard let found = try? await self.rows(of: tag, on: quick) else { return false }
      if found == rows { return true }
      do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
    } while ContinuousClock.now < end
    return false
  }

  /// By table.
  private func rows(
    of tag: UInt64, on server: ClickHouseServer
  ) async throws(ClickHouseError) -> [String: UInt64] {
    let rows = try await server.read(
      """
      SELECT table, sum(rows) FROM system.parts
      WHERE database = \(SQLText.quoted(address.database)) AND active AND partition = '\(tag)'
      GROUP BY table
      """
    ) { row throws(Failure) in (try row.text(), try row.integer(UInt64.self)) }
    return Dictionary(rows) { $0 + $1 }
  }

  /// Waits until all replicas in sync have rows that are not part of the log, and sees to it that those which
  /// get in sync from now on have them too.
  func copied(_ tag: UInt64) async throws(ClickHouseError) {
    guard let choice else { return }
    for _ in 0..<20 {
      var next = try await secured(tag, in: try await log.state())
      next.number += 1
      if try await choice.log.take(next) { return }
    }
    throw .failure(Failure(.unavailable, "\(name): changing too fast to be written to"))
  }

  /// Takes replicas in that are back and have caught up.
  func readmit() async throws(ClickHouseError) {
    guard let choice, choice.state.replicas.values.contains(false) else { return }
    let state = try await log.state()
    for (replica, isInSync) in state.replicas where !isInSync {
      guard let server = choice.present[replica],
        let source = choice.asked.first(where: { $0.replica.shard == replica.shard })?.server,
        try await allRows(on: source, in: state) == allRows(on: server, in: state)
      else { continue }
      _ = try await change(replica, isInSync: true, after: state)
      return
    }
  }

  /// How many rows each tag has in each table, of those that count.
  private func allRows(
    on server: ClickHouseServer, in state: LogState
  ) async throws(ClickHouseError) -> [String: UInt64] {
    let evidence = ClickHouseSchema.evidence.map { "\($0.name)_local" }
    let others = ClickHouseSchema.descriptions.map { "\($0.name)_local" }
    let tags = state.levels.keys.sorted().map(String.init)
    let rows = try await server.read(
      """
      SELECT concat(table, ' ', partition), sum(rows) FROM system.parts
      WHERE database = \(SQLText.quoted(address.database)) AND active AND rows > 0
      AND (table IN \(SQLText.list(others)) OR (table IN \(SQLText.list(evidence))
        AND partition IN \(SQLText.list(tags))))
      GROUP BY table, partition
      """
    ) { row throws(Failure) in (try row.text(), try row.integer(UInt64.self)) }
    return Dictionary(rows) { $0 + $1 }
  }

  /// Adds rows that belong to one build. Without replicas each goes to the shard that its table says; with
  /// replicas all go to one.
  func insert(
    _ rows: RowWriter, into table: String, of build: BuildKey
  ) async throws(ClickHouseError) {
    guard choice != nil else { return try await first.insert(rows, into: table) }
    let sum = build.buildID.description.utf8.reduce(UInt64(0)) { ($0 &* 31) &+ UInt64($1) }
    try await servers[Int(sum % UInt64(servers.count))].insert(rows, into: "\(table)_local")
  }

  /// Replicas that are not asked, as they may lack rows: `HOST:PORT` of each.
  package func replicasBehind() async throws(Failure) -> [String] {
    try await run(allowingGaps: true) { () async throws in
      try await self.log.state().replicas.filter { !$0.value }.keys.map(\.native).sorted()
    }
  }

  /// Drops slots of the log that are no longer needed, once in a while.
  func dropOldSlots(_ state: LogState) async {
    guard let choice, state.number > 16, state.number % 16 == 0 else { return }
    for server in choice.present.values {
      try? await choice.log.dropSlots(before: state.number - 8, on: server)
    }
  }

  /// Makes the tables on each server that answers, and the log if there is none.
  func prepareReplicas(_ replicas: ReplicaServers) async throws(ClickHouseError) {
    for server in replicas.servers {
      do throws(ClickHouseError) {
        var quick = server
        quick.timeout = 30
        try await quick.run(
          "CREATE DATABASE IF NOT EXISTS \(address.database)", inDatabase: false)
        try await migrate(quick, isFirst: false)
      } catch .failure(let failure) where failure.kind == .unavailable {
        // Without a log all have to be there, see below; with one its tables are there already.
      }
    }
    let present = await replicas.present()
    guard let server = present.first?.server else { return }
    let log = KeeperCommitLog(server: server, tuning: tuning)
    if try await log.lastState().number > 0 { return }
    var state = LogState(number: 1)
    state.replicas = try await replicas.members(by: present)
    _ = try await log.take(state)
  }
}
