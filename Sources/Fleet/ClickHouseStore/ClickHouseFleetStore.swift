import FirstlightModel
import FleetModel
import HTTPTransport

/// A fleet's evidence in ClickHouse, on one server or spread over the shards of a cluster.
///
/// A publisher's rows lie on one shard, and each shard is an independent store; answers add the shards
/// up. All writes can be repeated, so a statement that fails on one replica is sent to the next.
package final class ClickHouseFleetStore: FleetStore {
  package let name: String
  let address: ClickHouseAddress
  let tuning: ClickHouseTuning
  let servers: ShardServers
  let writtenCallers = WrittenCallers()

  /// Sends a statement to a server and returns the whole answer, like `HTTPTransport.send`.
  package typealias Sender = @Sendable (HTTPRequest) async throws(Failure) -> HTTPAnswer

  /// - Parameter transport: shut down by the caller, after the last use of the store.
  package convenience init(_ address: ClickHouseAddress, transport: HTTPTransport) {
    self.init(address) { request throws(Failure) in try await transport.send(request) }
  }

  /// - Parameter send: the transport of statements; tests inject failures.
  package init(
    _ address: ClickHouseAddress, tuning: ClickHouseTuning = ClickHouseTuning(),
    send: @escaping Sender
  ) {
    self.address = address
    self.tuning = tuning
    name = "clickhouse:\(address.description)"
    servers = ShardServers(
      address.servers.map { ClickHouseServer($0, address: address, send: send) },
      address: address, tuning: tuning)
  }

  /// Runs `body` on a server of a shard, and on the next one if the first fails.
  func on<Value: Sendable>(
    _ shard: ShardServers.Shard,
    _ body: @Sendable (ClickHouseServer) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    var failure = Failure(.unavailable, "\(name): \(shard.absence)")
    for (server, look) in shard.replicas {
      do throws(Failure) {
        let value = try await body(server)
        if look.isReadOnly {
          AnswerGaps.current?.note(
            "may be old: \(server.name) answers for shard \(shard.number), cut off from ZooKeeper")
        } else if look.delay >= tuning.shownDelay {
          AnswerGaps.current?.note(
            "old: \(server.name) answers for shard \(shard.number), \(look.delay) s behind")
        }
        return value
      } catch {
        guard error.kind == .unavailable else { throw error }
        servers.doubt(server)
        failure = error
      }
    }
    throw failure
  }

  /// Queries all shards at once.
  /// - Parameter gaps: whether an incomplete answer is useful; missing shards are recorded in `AnswerGaps`.
  func ofAll<Value: Sendable>(
    allowingGaps gaps: Bool = false,
    _ body: @escaping @Sendable (ClickHouseServer) async throws(Failure) -> Value
  ) async throws(Failure) -> [Value] {
    let shards = try await servers.shards()
    let results = await withTaskGroup(of: (Int, Result<Value, Failure>).self) { group in
      for shard in shards {
        group.addTask {
          do throws(Failure) {
            return (shard.number, .success(try await self.on(shard, body)))
          } catch {
            return (shard.number, .failure(error))
          }
        }
      }
      var results: [Int: Result<Value, Failure>] = [:]
      for await (number, result) in group { results[number] = result }
      return results
    }
    var values: [Value] = []
    var absence: Failure?
    for shard in shards {
      switch results[shard.number] {
      case .success(let value): values.append(value)
      case .failure(let failure):
        guard gaps, failure.kind == .unavailable else { throw failure }
        absence = failure
        AnswerGaps.current?.note("incomplete: \(shard.absence); its rows are missing")
      case nil: break
      }
    }
    if values.isEmpty, let absence { throw absence }
    return values
  }

  /// The rows of all shards.
  func rows<Row: Sendable>(
    _ sql: String, allowingGaps gaps: Bool = false,
    _ row: @escaping @Sendable (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    try await ofAll(allowingGaps: gaps) { server throws(Failure) in
      try await server.read(sql, row)
    }.flatMap { $0 }
  }

  /// The index of the shard with a publisher's rows, samples and callers.
  static func shard(of publisher: PublisherID, of count: Int) -> Int {
    (Int(publisher.bytes[0]) << 8 | Int(publisher.bytes[1])) % count
  }

  /// The shard with the function table and read failures of a build.
  func shard(of build: BuildKey) async throws(Failure) -> ShardServers.Shard {
    let shards = try await servers.shards()
    let sum = build.buildID.description.utf8.reduce(UInt64(0)) { ($0 &* 31) &+ UInt64($1) }
    return shards[Int(sum % UInt64(shards.count))]
  }

  /// Records a removal in `audit`.
  func note(_ what: String) async throws(Failure) {
    var rows = RowWriter()
    rows.row()
    rows.add(seconds)
    rows.add(what)
    let table = rows
    try await on(try await servers.shards()[0]) { server throws(Failure) in
      try await server.insert(table, into: "audit")
    }
  }

  /// Seconds since 1970.
  var seconds: UInt64 { UInt64(max(0, tuning.now())) }
}
