import FirstlightModel
import FleetModel
import HTTPTransport
import Synchronization

/// A fleet's evidence in ClickHouse, on one server or spread over the shards of a cluster.
///
/// Without replicas all servers have to be there for anything to be written or asked; with replicas one of
/// each shard to write, and one of any shard to ask. See `CommitLog` for how each trace counts once
/// whatever fails when.
package final class ClickHouseFleetStore: FleetStore {
  package let name: String
  let address: ClickHouseAddress
  private let allServers: [ClickHouseServer]
  private let serverLog: ServerCommitLog
  /// Nil: there are no replicas.
  private let replicas: ReplicaServers?
  let writing = AsyncMutex()
  let queue: BatchQueue
  /// The log after this store's own last commit; nil: it has to be asked. An old one does no harm: then
  /// another has the next number.
  private let lastState = Mutex<LogState?>(nil)
  let tuning: ClickHouseTuning
  private let listener = Mutex<(@Sendable (StoreEvent) -> Void)?>(nil)
  /// With replicas: when tags were replaced whose rows are still there.
  let replacedTags = Mutex<[UInt64: ContinuousClock.Instant]>([:])
  /// A build of 45,000 functions weighs up to 90,000 a level.
  let functionSums = AnswerCache<FunctionSums.Question, FunctionSums>(
    weightLimit: 600_000, weigh: \.weight, add: +)
  private let lastSize = Mutex<(state: LogState, horizon: Int32, size: StoreSize)?>(nil)

  /// Sends a statement to a server and takes in the whole answer, as `HTTPTransport.send` does.
  package typealias Sender = @Sendable (HTTPRequest) async throws(Failure) -> HTTPAnswer

  /// - Parameter transport: shut down by the caller, after the last use of the store.
  package convenience init(_ address: ClickHouseAddress, transport: HTTPTransport) {
    self.init(address) { request throws(Failure) in try await transport.send(request) }
  }

  /// - Parameter send: how statements get to servers; tests have some go wrong.
  package init(
    _ address: ClickHouseAddress, tuning: ClickHouseTuning = ClickHouseTuning(),
    send: @escaping Sender
  ) {
    self.address = address
    self.tuning = tuning
    name = "clickhouse:\(address.description)"
    let servers = address.servers.map { ClickHouseServer($0, address: address, send: send) }
    allServers = servers
    serverLog = ServerCommitLog(server: servers[0], database: address.database, tuning: tuning)
    replicas =
      address.isReplicated
      ? ReplicaServers(servers: servers, address: address, tuning: tuning) : nil
    queue = BatchQueue(weightLimit: tuning.groupWeight)
  }

  package var joinsBatches: Bool { true }

  package func tell(_ report: @escaping @Sendable (StoreEvent) -> Void) {
    listener.withLock { $0 = report }
  }

  func happened(_ event: StoreEvent) { listener.withLock { $0 }?(event) }

  /// The servers that the current task was told to use.
  @TaskLocal private static var currentChoice: ServerChoice?

  /// Nil: there are no replicas.
  var choice: ServerChoice? {
    // Stores may call one another.
    Self.currentChoice.flatMap { $0.store == ObjectIdentifier(self) ? $0 : nil }
  }

  /// Is asked. Without replicas it keeps the log, and the others are reached through it but for the making of
  /// tables.
  var first: ClickHouseServer { choice?.coordinator ?? allServers[0] }

  /// One for each shard.
  var servers: [ClickHouseServer] { choice?.asked.map(\.server) ?? allServers }

  var log: any CommitLog { choice?.log ?? serverLog }

  /// What was kept of the log. Whoever takes it gives back what came of it, unless that is not known.
  func takeState() -> LogState? {
    if let choice { return choice.state }
    return lastState.withLock { state in
      defer { state = nil }
      return state
    }
  }

  func keepState(_ state: LogState) { lastState.withLock { $0 = state } }

  package func prepare() async throws {
    if let replicas {
      do { try await prepareReplicas(replicas) } catch { throw error.failure }
      try await checkCluster()
      try? await run { () async throws in try await self.readmit() }
      return
    }
    try await run { () async throws in
      for server in self.servers {
        try await server.run(
          "CREATE DATABASE IF NOT EXISTS \(self.address.database)", inDatabase: false)
        try await self.migrate(server, isFirst: server.url == self.first.url)
      }
    }
    try await checkCluster()
  }

  /// What the address says of the cluster and what the server knows of it have to agree, or rows would
  /// lie where nobody looks.
  private func checkCluster() async throws {
    guard let cluster = address.cluster else { return }
    let rows = try await run { () async throws in
      try await self.first.read(
        """
        SELECT count(), max(replica_num) FROM system.clusters
        WHERE cluster = \(SQLText.quoted(cluster))
        """
      ) { row throws(Failure) in
        (servers: try row.number(UInt64.self), replicas: try row.integer(UInt32.self))
      }
    }
    guard let found = rows.first, found.servers == allServers.count else {
      throw Failure(
        .data,
        "\(name): cluster \(cluster) has \(rows.first?.servers ?? 0) servers, "
          + "the address \(allServers.count)",
        advice: "list all servers of the cluster, the one that holds the log first")
    }
    guard (found.replicas > 1) == address.isReplicated else {
      throw Failure(
        .data, "\(name): cluster \(cluster) has \(found.replicas) replicas of a shard",
        advice:
          "\(address.isReplicated ? "leave out" : "add") &replicated behind the cluster's name")
    }
  }

  package func size() async throws -> StoreSize {
    try await consistently(allowingGaps: true) { state in
      let horizon = try await self.horizon()
      let last = self.lastSize.withLock { $0 }
      var size: StoreSize
      if let last, last.state == state, last.horizon == horizon, self.choice?.missing == nil {
        size = last.size
      } else {
        size = try await self.countedSize(state, horizon: horizon)
        if self.choice?.missing == nil {
          self.lastSize.withLock { $0 = (state, horizon, size) }
        }
      }
      // Function tables are not part of the log.
      size.builds = try await self.count(
        """
        SELECT count() FROM (SELECT build_id, recorder FROM (\(self.buildRows(state)))
        GROUP BY build_id, recorder)
        """)
      return size
    }
  }

  private func countedSize(
    _ state: LogState, horizon: Int32
  ) async throws(ClickHouseError) -> StoreSize {
    var size = StoreSize()
    size.series = try await count(
      """
      SELECT uniq(cityHash64(build_id, recorder, day, version, labels)) FROM sums
      WHERE \(state.isLive)
      """)
    size.coverage = try await functionCount(state)
    size.knownTraces = try await count(
      "SELECT count() FROM known_trace WHERE \(state.isLive) AND day >= \(horizon)")
    size.sampledTraces = try await sampledTraces(state)
    return size
  }

  private func count(_ sql: String) async throws(ClickHouseError) -> Int {
    try await first.read(sql) { row throws(Failure) in try row.number(UInt64.self) }.first ?? 0
  }

  /// How many functions there are in all series. Beyond a million it is how many rows of sums: those that
  /// several tags have count more than once.
  private func functionCount(_ state: LogState) async throws(ClickHouseError) -> Int {
    var rows = try await count("SELECT sum(length(called.guard)) FROM sums WHERE \(state.isLive)")
    for server in servers { rows += try await calledRows(state, on: server) }
    guard rows <= 1_000_000 else { return rows }
    return try await count(
      """
      SELECT uniq(sum) FROM (
        SELECT cityHash64(\(SQLText.build), day, \(SQLText.label), called.guard) AS sum
        FROM sums ARRAY JOIN called WHERE \(state.isLive)
        UNION ALL
        SELECT cityHash64(build, day, label, guard) AS sum FROM called WHERE \(state.isLive)
      )
      """)
  }

  /// The rows that live tags have in a server's part of `called`: each tag is a partition.
  private func calledRows(
    _ state: LogState, on server: ClickHouseServer
  ) async throws(ClickHouseError) -> Int {
    let table = ClickHouseSchema.local(ClickHouseSchema.called.name, cluster: address.cluster)
    let tags = state.levels.keys.sorted().map(String.init)
    let rows = try await server.read(
      """
      SELECT sum(rows) FROM system.parts
      WHERE database = \(SQLText.quoted(address.database)) AND table = \(SQLText.quoted(table))
      AND active AND partition IN \(SQLText.list(tags))
      """
    ) { row throws(Failure) in try row.number(UInt64.self) }
    return rows.first ?? 0
  }

  /// The first day whose traces are known.
  func horizon() async throws(ClickHouseError) -> Int32 {
    try await first.read("SELECT argMax(day, number) FROM horizons") { row throws(Failure) in
      try row.integer(Int32.self)
    }.first ?? 0
  }

  package func traceDays() async throws -> [FleetDay] {
    try await consistently { state in
      let horizon = try await self.horizon()
      return try await self.first.read(
        "SELECT DISTINCT day FROM known_trace WHERE \(state.isLive) AND day >= \(horizon)"
      ) { row throws(Failure) in FleetDay(number: try row.integer(Int32.self)) }
    }
  }

  package func forgetTraces(before day: FleetDay) async throws {
    try await run { () async throws in
      guard try await self.horizon() != day.number else { return }
      let last = try await self.first.read("SELECT max(number) FROM horizons") {
        row throws(Failure) in try row.integer(UInt64.self)
      }
      var rows = RowWriter()
      rows.row()
      rows.add((last.first ?? 0) &+ 1)
      rows.add(day.number)
      try await self.first.insert(rows, into: "horizons")
    }
  }

  /// Asks under one state of the log; again if rows of it were replaced meanwhile.
  /// - Parameter gaps: whether an answer is of use that lacks a shard, which is noted in `AnswerGaps`.
  func consistently<Value: Sendable>(
    allowingGaps gaps: Bool = false, _ ask: (LogState) async throws -> Value
  ) async throws(Failure) -> Value {
    try await run(allowingGaps: gaps) { () async throws in
      var state = try await self.log.state()
      for _ in 0..<20 {
        let value = try await ask(state)
        let now = try await self.log.state()
        if state.levels.keys.allSatisfy({ now.levels[$0] != nil }) { return value }
        state = now
      }
      throw Failure(.unavailable, "\(self.name): changing too fast to be read")
    }
  }

  func run<Value: Sendable>(
    allowingGaps gaps: Bool = false, _ body: () async throws -> Value
  ) async throws(Failure) -> Value {
    do {
      guard let replicas, choice == nil else { return try await body() }
      var tries = 0
      while true {
        let choice = try await replicas.choose(for: ObjectIdentifier(self))
        if let missing = choice.missing {
          guard gaps, !choice.asked.isEmpty else {
            throw Failure(.unavailable, "\(name): \(missing)")
          }
          AnswerGaps.current?.note(missing)
        }
        do {
          return try await Self.$currentChoice.withValue(choice) { try await body() }
        } catch ClickHouseError.serversChanged where tries < 5 {
          tries += 1
        } catch ClickHouseError.failure(let failure)
          where failure.kind == .unavailable && gaps && tries < 2
        {
          // A server went away meanwhile; a question can be put to others.
          tries += 1
        }
      }
    } catch let error as ClickHouseError {
      throw error.failure
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.unavailable, "\(name): \(error)")
    }
  }
}
