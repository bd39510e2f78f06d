import FirstlightModel
import FleetModel
import Synchronization

/// The servers of a store by shard; some may be unavailable.
final class ShardServers: Sendable {
  let servers: [ClickHouseServer]
  private let address: ClickHouseAddress
  private let tuning: ClickHouseTuning
  /// The last report of each server, by URL; nil if the server did not answer.
  private let looks = Mutex<[String: (look: ServerLook?, at: ContinuousClock.Instant)]>([:])

  init(_ servers: [ClickHouseServer], address: ClickHouseAddress, tuning: ClickHouseTuning) {
    self.servers = servers
    self.address = address
    self.tuning = tuning
  }

  struct Shard: Sendable {
    var number: Int
    /// The available servers, the least delayed first.
    var replicas: [(server: ClickHouseServer, look: ServerLook)]
    /// Names of all servers, for display.
    var names: [String]

    /// The reason why the shard is unavailable.
    var absence: String {
      "no server of shard \(number) answers (\(names.joined(separator: ", ")))"
    }
  }

  /// All shards by number, including those without an available server.
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

  /// Discards a server's report after a failure.
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

  /// The reports of all available servers, in the order of the address.
  /// - Parameter again: whether to ask servers again that just failed to answer.
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
        group.addTask { (server.url, try? await server.look(within: self.tuning.lookTimeout)) }
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

/// The state of a cluster's server, as the server reports it.
struct ServerLook: Sendable {
  /// The servers of each shard by number, with their names within the cluster.
  var names: [Int: [String]] = [:]
  /// The number of the server's own shard; nil if its cluster does not list it.
  var shard: Int?
  /// The server's macro `shard`, a part of its tables' paths in ZooKeeper.
  var macro = ""
  /// Seconds by which the server's rows are behind those of other replicas.
  var delay = 0
  /// Whether the server lost ZooKeeper: it then accepts no rows, and gets none from other replicas.
  var isReadOnly = false
}

extension ClickHouseServer {
  /// - Parameter seconds: the time limit.
  func look(within seconds: Int64) async throws(Failure) -> ServerLook {
    var quick = self
    quick.timeout = seconds
    let isOurs = "database = \(SQLText.quoted(address.database))"
    let rows = try await quick.read(
      """
      SELECT 'server' AS what, concat(host_name, ':', toString(port)) AS text,
        toUInt64(shard_num) AS number, toUInt64(is_local) AS more
      FROM system.clusters WHERE cluster = \(SQLText.quoted(address.cluster ?? ""))
      UNION ALL
      SELECT 'replica' AS what, '' AS text, toUInt64(max(absolute_delay)) AS number,
        toUInt64(max(is_readonly)) AS more FROM system.replicas WHERE \(isOurs)
      UNION ALL
      SELECT 'macro' AS what, substitution AS text, toUInt64(0) AS number, toUInt64(0) AS more
      FROM system.macros WHERE macro = 'shard'
      """, inDatabase: false
    ) { row throws(Failure) in
      (
        what: try row.text(), text: try row.text(), number: try row.number(UInt64.self),
        more: try row.number(UInt64.self)
      )
    }
    var look = ServerLook()
    for row in rows {
      switch row.what {
      case "server":
        look.names[row.number, default: []].append(row.text)
        if row.more > 0 { look.shard = row.number }
      case "replica": (look.delay, look.isReadOnly) = (row.number, row.more > 0)
      default: look.macro = row.text
      }
    }
    return look
  }
}
