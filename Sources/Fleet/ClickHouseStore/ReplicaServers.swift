import FirstlightModel
import Synchronization

/// The servers of a store with replicas, some of which may be away.
final class ReplicaServers: Sendable {
  let servers: [ClickHouseServer]
  let address: ClickHouseAddress
  let tuning: ClickHouseTuning
  /// When servers did not answer, by URL.
  private let silent = Mutex<[String: ContinuousClock.Instant]>([:])

  init(servers: [ClickHouseServer], address: ClickHouseAddress, tuning: ClickHouseTuning) {
    self.servers = servers
    self.address = address
    self.tuning = tuning
  }

  /// A server that answers and can reach ZooKeeper.
  struct Present: Sendable {
    var server: ClickHouseServer
    /// Its macros.
    var shard: String
    var name: String
  }

  /// Chooses among those that answer.
  func choose(for store: ObjectIdentifier) async throws(ClickHouseError) -> ServerChoice {
    let choice = try? await choose(for: store, skipsSilent: true)
    if let choice, choice.missing == nil { return choice }
    return try await choose(for: store, skipsSilent: false)
  }

  private func choose(
    for store: ObjectIdentifier, skipsSilent: Bool
  ) async throws(ClickHouseError) -> ServerChoice {
    let present = await present(skipsSilent: skipsSilent)
    var failure = ClickHouseError.failure(
      Failure(
        .unavailable,
        "clickhouse:\(address.description): none of \(servers.count) servers can be used",
        advice: "check that they run and reach ZooKeeper"))
    for candidate in present {
      var log = candidate.server
      log.timeout = Self.logTimeout
      do throws(ClickHouseError) {
        let state = try await KeeperCommitLog(server: log, tuning: tuning).state()
        return choice(store, candidate, state, present)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Seconds that questions may take: to a server whether it is there, to ZooKeeper, to a store; and an insert.
  private static let pingTimeout: Int64 = 3
  private static let logTimeout: Int64 = 30
  private static let questionTimeout: Int64 = 60
  private static let insertTimeout: Int64 = 30
  /// One that did not answer is not waited for by each question.
  private static let silence = Duration.seconds(10)

  private func choice(
    _ store: ObjectIdentifier, _ coordinator: Present, _ state: LogState, _ present: [Present]
  ) -> ServerChoice {
    var all: [Replica: ClickHouseServer] = [:]
    for one in present {
      let replica = state.replicas.keys.first { $0.shard == one.shard && $0.name == one.name }
      if let replica { all[replica] = one.server }
    }
    // The coordinator's own rows need not travel.
    let order = all.sorted { a, b in
      (a.value.url != coordinator.server.url ? 1 : 0, a.key.native)
        < (b.value.url != coordinator.server.url ? 1 : 0, b.key.native)
    }
    let asked = state.shards.compactMap { shard in
      order.first { $0.key.shard == shard && state.replicas[$0.key] == true }
    }
    let sources = TableSources(asked.map(\.key), of: address)
    var server = coordinator.server
    server.sources = sources
    server.timeout = Self.questionTimeout
    return ServerChoice(
      store: store, coordinator: server, state: state,
      asked: asked.map { replica, server in
        var server = server
        server.sources = sources
        server.timeout = Self.insertTimeout
        return (replica, server)
      }, present: all, tuning: tuning)
  }

  /// Asks all at once; in the order of the address.
  /// - Parameter skipsSilent: does not ask those that did not answer a moment ago.
  func present(skipsSilent: Bool = false) async -> [Present] {
    let silent = silent.withLock { silent in
      silent = silent.filter { $0.value.duration(to: .now) < Self.silence }
      return Set(silent.keys)
    }
    return await withTaskGroup(of: (Int, Present?).self) { group in
      for (place, server) in servers.enumerated()
      where !skipsSilent || !silent.contains(server.url) {
        group.addTask {
          let present = try? await self.ask(server)
          self.silent.withLock { $0[server.url] = present == nil ? .now : nil }
          return (place, present)
        }
      }
      var found: [Int: Present] = [:]
      for await (place, present) in group { found[place] = present }
      return found.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  private func ask(_ server: ClickHouseServer) async throws(ClickHouseError) -> Present? {
    var quick = server
    quick.timeout = Self.pingTimeout
    let rows = try await quick.read(
      """
      SELECT 'readonly' AS macro, toString(max(is_readonly)) AS substitution FROM system.replicas
      WHERE database = \(SQLText.quoted(address.database)) AND table = 'sums_local'
      UNION ALL SELECT macro, substitution FROM system.macros
      """, inDatabase: false
    ) { row throws(Failure) in (try row.text(), try row.text()) }
    let macros = Dictionary(rows) { first, _ in first }
    guard macros["readonly"] != "1", let shard = macros["shard"], let name = macros["replica"]
    else { return nil }
    return Present(server: server, shard: shard, name: name)
  }

  /// All replicas, with the names by which servers reach one another. All have to answer.
  func members(by present: [Present]) async throws(ClickHouseError) -> [Replica: Bool] {
    guard let first = present.first?.server, present.count == servers.count else {
      throw .failure(
        Failure(
          .unavailable,
          "clickhouse:\(address.description): \(present.count) of "
            + "\(servers.count) servers answer and have the macros shard and replica",
          advice: "a store with replicas is created when all its servers are there"))
    }
    let natives = try await first.read(
      """
      SELECT concat(host_name, ':', toString(port)) FROM system.clusters
      WHERE cluster = \(SQLText.quoted(address.cluster ?? "")) ORDER BY shard_num, replica_num
      """
    ) { row throws(Failure) in try row.text() }
    var replicas: [Replica: Bool] = [:]
    for native in natives {
      let sources = TableSources.remote(native, "system", "macros", of: address)
      let macros = Dictionary(
        try await first.read("SELECT macro, substitution FROM \(sources)") { row throws(Failure) in
          (try row.text(), try row.text())
        }, uniquingKeysWith: { first, _ in first })
      let replica = Replica(
        shard: macros["shard"] ?? "", name: macros["replica"] ?? "", native: native)
      try check(replica, among: present)
      replicas[replica] = true
    }
    return replicas
  }

  private func check(
    _ replica: Replica, among present: [Present]
  ) throws(ClickHouseError) {
    guard present.contains(where: { $0.shard == replica.shard && $0.name == replica.name }) else {
      throw .failure(
        Failure(
          .data, "clickhouse:\(address.description): \(replica.native) is not in the address",
          advice: "list all servers of the cluster"))
    }
    let names = [replica.shard, replica.name]
    guard names.allSatisfy({ $0.utf8.allSatisfy(ClickHouseAddress.isHostLetter) && !$0.isEmpty })
    else {
      throw .failure(
        Failure(
          .data,
          "\(replica.native): macros shard \"\(replica.shard)\", replica "
            + "\"\(replica.name)\"", advice: "use letters, digits, '.', '-' and '_'"))
    }
  }
}
