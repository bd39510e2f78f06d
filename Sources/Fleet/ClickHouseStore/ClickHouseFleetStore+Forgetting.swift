import FirstlightModel
import FleetModel
import Foundation

/// What an administrator takes out of the store.
extension ClickHouseFleetStore {
  public func forget(_ build: BuildKey, by author: String) async throws -> Bool {
    let known = try await consistently { state in
      try await self.guardCounts(of: [build], in: state)[build]
    }
    guard known != nil else { return false }
    await writing.take()
    do {
      try await run { () async throws in try await self.remove(build, author) }
      await writing.give()
    } catch {
      await writing.give()
      throw error
    }
    return true
  }

  private func remove(_ build: BuildKey, _ author: String) async throws(ClickHouseError) {
    // The table that says that others are complete goes first.
    let names = ["function_table"] + ClickHouseSchema.ofBuilds.map(\.name)
    for server in servers {
      for name in names {
        let table = ClickHouseSchema.local(name, cluster: address.cluster)
        try await server.run("ALTER TABLE \(table) DELETE WHERE \(SQLText.isOf(build))")
      }
    }
    for server in servers {
      while try await isChanging(server) {
        do { try await Task.sleep(for: .milliseconds(100)) } catch {
          throw .failure(Failure(.unavailable, "\(name): was told to stop waiting"))
        }
      }
    }
    var rows = RowWriter()
    rows.row()
    rows.add(UInt64(max(0, Date().timeIntervalSince1970)))
    rows.add("forgot build \(build.buildID) (\(build.recorder.rawValue)), by \(author)")
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
