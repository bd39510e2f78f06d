import FirstlightModel

/// The log of a store with replicas: ZooKeeper (or ClickHouse Keeper) keeps it, through any server.
///
/// Number n is taken by creating a `ReplicatedMergeTree` at the path `slots/n`. ZooKeeper makes a path once,
/// whichever server asks; who comes second is refused, because its columns differ. The names of the columns
/// spell out the state that the commit leads to, so the highest slot is all of the log, and any server can
/// read it in `system.zookeeper`. Older slots are dropped.
struct KeeperCommitLog: CommitLog {
  let server: ClickHouseServer
  let path: String
  let tuning: ClickHouseTuning
  /// Replicas that are asked; nothing is read when one of them lacks rows.
  var asked: [Replica] = []

  var name: String { server.name }

  init(server: ClickHouseServer, tuning: ClickHouseTuning) {
    self.server = server
    path = Self.path(of: server.address)
    self.tuning = tuning
  }

  /// Where a store's nodes are in ZooKeeper.
  static func path(of address: ClickHouseAddress) -> String {
    "/firstlight/\(address.cluster ?? "")/\(address.database)"
  }

  func state() async throws(ClickHouseError) -> LogState {
    let state = try await lastState()
    guard state.number > 0 else {
      throw .failure(
        Failure(
          .unavailable, "\(server.name): contains no store",
          advice: "firstlightd --store creates one when it starts"))
    }
    guard asked.allSatisfy({ state.replicas[$0] == true }) else { throw .serversChanged }
    return state
  }

  /// - Returns: number 0 if there is no log.
  func lastState() async throws(ClickHouseError) -> LogState {
    // The highest slot is never dropped; one that is not the highest any more may be.
    for _ in 0..<5 {
      let number = try await lastNumber()
      if number == 0 { return LogState() }
      let columns = try await server.read(
        """
        SELECT value FROM system.zookeeper
        WHERE path = \(SQLText.quoted("\(path)/slots/\(number)")) AND name = 'columns'
        """
      ) { row throws(Failure) in try row.text() }
      guard let text = columns.first, !text.isEmpty else { continue }
      do { return try LogState(number: number, columns: text) } catch { throw .failure(error) }
    }
    throw .failure(Failure(.unavailable, "\(server.name): the log changes too fast to be read"))
  }

  private func lastNumber() async throws(ClickHouseError) -> UInt64 {
    do {
      return try await server.read(
        """
        SELECT max(toUInt64OrZero(name)) FROM system.zookeeper
        WHERE path = \(SQLText.quoted("\(path)/slots"))
        """
      ) { row throws(Failure) in try row.integer(UInt64.self) }.first ?? 0
    } catch .failure(let failure) where failure.problem.contains("No node") {
      return 0
    }
  }

  func commit(
    _ commit: LogCommit, after state: LogState
  ) async throws(ClickHouseError) -> CommitOutcome {
    // The number is taken only if nothing came after this state, so it has the last word on the tag.
    if state.givenUp[commit.tag] != nil { return .givenUp }
    return try await take(state.followed(by: commit)) ? .committed : .taken
  }

  /// Takes the number of a state that follows the one before it.
  /// - Returns: false if another has it.
  func take(_ next: LogState) async throws(ClickHouseError) -> Bool {
    var next = next
    let kept = next.number - min(next.number, tuning.keptCommits)
    next.givenUp = next.givenUp.filter { $0.value >= kept }
    let columns = next.columns.map { "`\($0)` UInt8" }.joined(separator: ", ")
    do {
      try await server.run(
        """
        CREATE TABLE slot_\(next.number) (\(columns))
        ENGINE = ReplicatedMergeTree('\(path)/slots/\(next.number)', 'taken') ORDER BY tuple()
        """)
    } catch .exists {
      return false
    }
    // A slot that was dropped long ago can be made again: then there is a higher one.
    guard try await lastNumber() == next.number else {
      throw .failure(
        Failure(.unavailable, "\(server.name): others committed meanwhile; the result is unknown"))
    }
    return true
  }

  /// Drops slots that are not the last ones from a server that made some.
  func dropSlots(before number: UInt64, on server: ClickHouseServer) async throws(ClickHouseError) {
    let tables = try await server.read(
      """
      SELECT name FROM system.tables
      WHERE database = \(SQLText.quoted(server.address.database)) AND name LIKE 'slot%'
      """
    ) { row throws(Failure) in try row.text() }
    for table in tables {
      guard let slot = UInt64(table.dropFirst(5)), slot < number else { continue }
      try await server.run("DROP TABLE IF EXISTS \(table)")
    }
  }

  /// Each slot has all of the log.
  func prune(_ state: LogState) async throws(ClickHouseError) {}
}

extension LogState {
  /// What a slot's columns are called.
  var columns: [String] {
    levels.sorted { $0.key < $1.key }.map { "t_\($0.key)_\($0.value)" }
      + givenUp.sorted { $0.key < $1.key }.map { "g_\($0.key)_\($0.value)" }
      + ["d_\(deletion)"]
      + replicas.map { "r|\($0.key.shard)|\($0.key.name)|\($0.key.native)|\($0.value ? 1 : 0)" }
      .sorted()
  }

  /// - Parameter columns: as ClickHouse writes them in ZooKeeper: names in backquotes, a line each.
  init(number: UInt64, columns: String) throws(Failure) {
    self.init()
    self.number = number
    for line in columns.split(separator: "\n") where line.hasPrefix("`") {
      let name = line.dropFirst().prefix { $0 != "`" }
      let fields = name.split(separator: name.hasPrefix("r") ? "|" : "_").map(String.init)
      let numbers = fields.dropFirst().compactMap { UInt64($0) }
      switch (fields.first, numbers.count) {
      case ("t", 2): levels[numbers[0]] = UInt32(clamping: numbers[1])
      case ("g", 2): givenUp[numbers[0]] = numbers[1]
      case ("d", 1): deletion = numbers[0]
      case ("r", _) where fields.count == 5:
        replicas[Replica(shard: fields[1], name: fields[2], native: fields[3])] = fields[4] == "1"
      default:
        throw Failure(.data, "damaged ClickHouse store: slot \(number) has a column \"\(name)\"")
      }
    }
  }
}
