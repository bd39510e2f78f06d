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
    // The table that says that others are complete goes first.
    let names = ["function_table"] + ClickHouseSchema.ofBuilds.map(\.name)
    try await delete(from: names) { _ in SQLText.isOf(build) }
  }

  /// Deletes from one table after the other, and waits until the rows are gone.
  /// - Parameter condition: of the rows of a table.
  func delete(
    from tables: [String], where condition: (_ table: String) -> String
  ) async throws(ClickHouseError) {
    for server in servers {
      for name in tables {
        let table = ClickHouseSchema.local(name, cluster: address.cluster)
        try await server.run("ALTER TABLE \(table) DELETE WHERE \(condition(name))")
      }
    }
    for server in servers {
      while try await isChanging(server) {
        do { try await Task.sleep(for: .milliseconds(100)) } catch {
          throw .failure(Failure(.unavailable, "\(name): was told to stop waiting"))
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
