import FirstlightModel
import FleetModel
import Synchronization

/// The servers of a store by shard; some may be away.
final class ShardServers: Sendable {
  let servers: [ClickHouseServer]
  private let address: ClickHouseAddress
  private let tuning: ClickHouseTuning
  /// The last reports of servers, by URL; nil: the server did not answer.
  private let looks = Mutex<[String: (look: ServerLook?, at: ContinuousClock.Instant)]>([:])

  init(_ servers: [ClickHouseServer], address: ClickHouseAddress, tuning: ClickHouseTuning) {
    self.servers = servers
    self.address = address
    self.tuning = tuning
  }

  struct Shard: Sendable {
    var number: Int
    /// Those that answer, the one that is least behind first.
    var replicas: [(server: ClickHouseServer, look: ServerLook)]
    /// All of them, for people.
    var names: [String]

    /// Why the shard cannot be used.
    var absence: String {
      "no server of shard \(number) answers (\(names.joined(separator: ", ")))"
    }
  }

  /// All shards by number, also those without a server that answers.
  func shards() async throws(Failure) -> [Shard] {
    guard address.cluster != nil else {
      return [Shard(number: 1, replicas: [(servers[0], ServerLook())], names: [servers[0].name])]
    }
    let shards = try shards(await looks(again: false))
    if shards.contains(where: \.replicas.isEmpty) || shards.isEmpty {
      let all = try self.shards(await looks(again: true))
      guard !all.isEmpty else {
        throw Failure(
          .unavailable,
          "clickhouse:\(address.description): none of \(servers.count) servers answers")
      }
      return all
    }
    return shards
  }

  /// Forgets a server's report after a failure.
  func doubt(_ server: ClickHouseServer) { looks.withLock { $0[server.url] = nil } }

  private func shards(
    _ looks: [(server: ClickHouseServer, look: ServerLook)]
  ) throws(Failure) -> [Shard] {
    guard let names = looks.first?.look.names else { return [] }
    for (server, look) in looks {
      guard let shard = look.shard, names[shard] != nil else {
        throw Failure(
          .data, "\(server.name): is not one of cluster \(address.cluster ?? "")",
          advice: "name it in its own remote_servers, as the others do (system.clusters.is_local)")
      }
    }
    return names.sorted { $0.key < $1.key }.map { number, names in
      let replicas = looks.filter { $0.look.shard == number }.enumerated().sorted { a, b in
        let (x, y) = (a.element.look, b.element.look)
        return (x.isReadOnly ? 1 : 0, x.delay, a.offset) < (y.isReadOnly ? 1 : 0, y.delay, b.offset)
      }
      return Shard(number: number, replicas: replicas.map(\.element), names: names)
    }
  }

  /// The reports of all servers that answer, in the order of the address.
  /// - Parameter again: also asks servers that did not answer a moment ago.
  private func looks(
    again: Bool
  ) async -> [(server: ClickHouseServer, look: ServerLook)] {
    let known = looks.withLock { looks in
      looks.filter { _, known in
        known.at.duration(to: .now) < (known.look == nil ? tuning.silence : tuning.lookAge)
          && !(again && known.look == nil)
      }
    }
    let new = await withTaskGroup(of: (String, ServerLook?).self) { group in
      for server in servers where known[server.url] == nil {
        group.addTask { (server.url, try? await server.look()) }
      }
      var new: [String: ServerLook?] = [:]
      for await (url, look) in group { new[url] = .some(look) }
      return new
    }
    looks.withLock { looks in
      for (url, look) in new { looks[url] = (look, .now) }
    }
    return servers.compactMap { server in
      (new[server.url] ?? known[server.url]?.look).map { (server, $0) }
    }
  }
}
