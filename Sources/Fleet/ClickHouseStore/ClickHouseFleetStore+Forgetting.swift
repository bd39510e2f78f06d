import FirstlightModel
import FleetModel

/// Takes builds and other rows out of the store.
extension ClickHouseFleetStore {
  package func forget(_ build: BuildKey, by author: String) async throws -> Bool {
    let known = try await consistently { state in
      try await self.guardCounts(of: [build], in: state)[build]
    }
    guard known != nil else { return false }
    try await alone {
      try await self.remove(build)
      try await self.note(
        "forgot build \(build.buildID) (\(build.recorder.rawValue)), by \(author)")
    }
    return true
  }

  /// Does something that no batch and no summing up of this daemon comes in between of.
  func alone(_ body: () async throws -> Void) async throws {
    await writing.take()
    do {
      try await run(body)
      await writing.give()
    } catch {
      await writing.give()
      throw error
    }
  }

  /// Removes all rows of a build.
  func remove(_ build: BuildKey) async throws(ClickHouseError) {
    try await delete(from: ClickHouseSchema.descriptions.map(\.name)) {
      self.isOf(build, in: $0)
    }
    // The one that says that the build is there goes last, so that a removal that breaks off can be done again.
    let last = ClickHouseSchema.seenBuild.name
    let evidence = ClickHouseSchema.evidence.map(\.name)
    let ordered = evidence.filter { $0 != "known_trace" && $0 != last } + [last]
    while true {
      let state = try await log.state()
      if try await deleteCounted(state, from: ordered, where: { self.isOf(build, in: $0) }) {
        return
      }
    }
  }

  /// The condition that a row of a table is of one build.
  func isOf(_ build: BuildKey, in table: String) -> String {
    [ClickHouseSchema.called.name, ClickHouseSchema.calledFrom.name].contains(table)
      ? "build = \(SQLText.number(of: build))" : SQLText.isOf(build)
  }

  /// Deletes rows that count, and no others: what is not committed yet counts whole once it is.
  /// - Returns: false if it has to be done again, since rows were added up meanwhile: the sums may have
  ///   what was to go.
  func deleteCounted(
    _ state: LogState, from tables: [String], where condition: (_ table: String) -> String
  ) async throws(ClickHouseError) -> Bool {
    try await delete(from: tables) { "\(state.isLive) AND (\(condition($0)))" }
    return try await noteDeletion(since: state)
  }

  /// Makes sure that no sum of what was there before counts from now on.
  /// - Returns: false if there is one since the state.
  func noteDeletion(since state: LogState) async throws(ClickHouseError) -> Bool {
    let now = try await log.noteDeletion()
    return state.levels.keys.allSatisfy { now.levels[$0] != nil }
  }

  /// Deletes from one table after the other, and waits until the rows are gone.
  /// - Parameter condition: of the rows of a table.
  func delete(
    from tables: [String], where condition: (_ table: String) -> String
  ) async throws(ClickHouseError) {
    // A table on all servers, then the next: the last tables say what is left to do.
    for name in tables {
      for server in servers {
        let table = ClickHouseSchema.local(name, cluster: address.cluster)
        try await server.run("ALTER TABLE \(table) DELETE WHERE \(condition(name))")
      }
    }
    for server in choice.map({ Array($0.present.values) }) ?? servers {
      while try await isChanging(server) {
        do { try await Task.sleep(for: .milliseconds(100)) } catch {
          throw .failure(Failure(.unavailable, "\(name): stopped while waiting"))
        }
      }
    }
  }

  /// Notes in `audit` what was removed.
  func note(_ what: String) async throws(ClickHouseError) {
    var rows = RowWriter()
    rows.row()
    rows.add(UInt64(max(0, tuning.now())))
    rows.add(what)
    try await first.insert(rows, into: "audit")
  }

  private func isChanging(_ server: ClickHouseServer) async throws(ClickHouseError) -> Bool {
    let left = try await server.read(
      """
      SELECT count() FROM system.mutations
      WHERE database = \(SQLText.quoted(address.database)) AND is_done = 0
      """
    ) { row throws(Failure) in try row.integer(UInt64.self) }
    return left.first ?? 0 > 0
  }
}
