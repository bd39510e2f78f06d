import FirstlightModel
import FleetModel

/// Creates the tables of a store.
extension ClickHouseFleetStore {
  package func prepare() async throws {
    try await prepareServers()
    guard let cluster = address.cluster else { return }
    // The address must name the same servers as their own configuration, or answers would lack
    // rows.
    let shards = try await servers.shards()
    let count = shards.reduce(0) { $0 + $1.names.count }
    guard count == address.servers.count else {
      throw Failure(
        .data,
        "\(name): cluster \(cluster) has \(count) servers, the address \(address.servers.count)",
        advice: "list all servers of the cluster")
    }
    let replicas = shards.map(\.names.count).max() ?? 1
    guard (replicas > 1) == address.isReplicated else {
      throw Failure(
        .data, "\(name): cluster \(cluster) has \(replicas) replicas of a shard",
        advice:
          "\(address.isReplicated ? "leave out" : "add") &replicated behind the cluster's name")
    }
    let macros = shards.map { Set($0.replicas.map(\.look.macro)) }
    guard !address.isReplicated || macros.allSatisfy({ $0.count <= 1 }),
      !address.isReplicated || Set(macros.flatMap(\.self)).count == macros.joined().count
    else {
      throw Failure(
        .data, "\(name): the macro shard is not the same on the replicas of each shard",
        advice: "give all servers of a shard the same, and those of other shards others")
    }
  }

  /// Creates missing tables on available servers. An unavailable server gets them later.
  func prepareServers() async throws(Failure) {
    var failure: Failure?
    var isDone = false
    for server in servers.servers {
      do throws(Failure) {
        try await prepare(server)
        isDone = true
      } catch {
        guard error.kind == .unavailable else { throw error }
        failure = error
      }
    }
    if !isDone, let failure { throw failure }
  }

  private func prepare(_ server: ClickHouseServer) async throws(Failure) {
    var server = server
    server.timeout = 30
    try await server.run("CREATE DATABASE IF NOT EXISTS \(address.database)", inDatabase: false)
    try await server.run(ClickHouseSchema.migration)
    let steps = try await server.read("SELECT max(number) FROM migration") { row throws(Failure) in
      try row.number(UInt32.self)
    }
    let reached = steps.first ?? 0
    if reached > ClickHouseSchema.version {
      throw Failure(
        .data, "\(server.name): the store was created by a newer firstlightd",
        advice: "use that version, or another store")
    }
    if (1..<ClickHouseSchema.version).contains(reached) {
      var another = address
      another.database += "2"
      throw Failure(
        .data, "\(name): was made by an earlier firstlightd",
        advice: "start with an empty database, for example clickhouse:\(another.description), "
          + "and keep this one for the firstlight that wrote it")
    }
    for statement in ClickHouseSchema.statements(for: address) { try await server.run(statement) }
    guard reached == 0 else { return }
    var rows = RowWriter()
    rows.row()
    rows.add(UInt32(ClickHouseSchema.version))
    rows.add(false)
    try await server.insert(rows, into: "migration")
  }
}
