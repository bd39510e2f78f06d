import FirstlightModel
import FleetModel

/// Creates the tables of a store.
extension ClickHouseFleetStore {
  package func prepare() async throws {
    try await prepareServers()
    try await on(check)
  }

  /// Creates missing tables on the available servers. An unavailable one gets them later.
  func prepareServers() async throws(Failure) {
    var (known, new): (ClosedDays?, [ClickHouseServer]) = (nil, [])
    var absence: Failure?
    for server in servers {
      do throws(Failure) {
        try await create(on: server)
        if let days = try await storedDays(server) {
          known = days.raised(to: known ?? days)
        } else {
          new.append(server)
        }
      } catch {
        guard error.kind == .unavailable else { throw error }
        absence = error
      }
    }
    // A server that did not know which days are closed would take rows of them.
    guard let absence else {
      for server in new { try await insert(known ?? ClosedDays(), on: server) }
      return
    }
    if known == nil { throw absence }
  }

  private func create(on server: ClickHouseServer) async throws(Failure) {
    var server = server
    server.timeout = 30
    try await server.run("CREATE DATABASE IF NOT EXISTS \(address.database)", inDatabase: false)
    try await server.run(ClickHouseSchema.migration)
    let steps = try await server.read("SELECT number FROM migration") { row throws(Failure) in
      try row.number(UInt32.self)
    }
    if steps.contains(where: { $0 != ClickHouseSchema.version }) {
      var another = address
      another.database += "2"
      throw Failure(
        .data, "\(name): was made by another version of firstlightd",
        advice: "use that version, or an empty database, for example "
          + "clickhouse:\(another.description)")
    }
    for statement in schema.statements { try await server.run(statement) }
    guard steps.isEmpty else { return }
    try await server.run("INSERT INTO migration VALUES (\(ClickHouseSchema.version))")
  }

  /// The address must name the servers of the cluster's configuration, or days could not be closed.
  private func check(_ server: ClickHouseServer) async throws(Failure) {
    guard let cluster = address.cluster else { return }
    let rows = try await server.read(
      """
      SELECT shard_num, count(), toUInt8(max(is_local)) FROM system.clusters
      WHERE cluster = \(SQLText.quoted(cluster)) GROUP BY shard_num
      """
    ) { row throws(Failure) in
      _ = try row.integer(UInt32.self)
      return (replicas: try row.number(UInt64.self), isOwn: try row.bool())
    }
    let count = rows.reduce(0) { $0 + $1.replicas }
    guard count == address.servers.count else {
      throw Failure(
        .data,
        "\(name): cluster \(cluster) has \(count) servers, the address \(address.servers.count)",
        advice: "list all servers of the cluster")
    }
    guard rows.contains(where: \.isOwn) else {
      throw Failure(
        .data, "\(server.name): is not one of cluster \(cluster)",
        advice: "name it in its own remote_servers, as the others do (system.clusters.is_local)")
    }
    let replicas = rows.map(\.replicas).max() ?? 1
    guard (replicas > 1) == address.isReplicated else {
      throw Failure(
        .data, "\(name): cluster \(cluster) has \(replicas) replicas of a shard",
        advice:
          "\(address.isReplicated ? "leave out" : "add") &replicated behind the cluster's name")
    }
  }
}
