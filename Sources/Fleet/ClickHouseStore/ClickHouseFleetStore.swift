import FirstlightModel
import FleetModel
import Foundation
import HTTPTransport
import Synchronization

/// A fleet's evidence in ClickHouse, on one server or spread over a cluster by `Distributed` tables.
///
/// All writes can be repeated, so a statement that fails on one server is sent to the next.
package final class ClickHouseFleetStore: FleetStore {
  package let name: String
  let address: ClickHouseAddress
  let tuning: ClickHouseTuning
  let schema: ClickHouseSchema
  let servers: [ClickHouseServer]
  /// The index of the server that answered last.
  private let last = Mutex(0)

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
    schema = ClickHouseSchema(address)
    name = "clickhouse:\(address.description)"
    servers = address.servers.map { ClickHouseServer($0, address: address, send: send) }
  }

  /// Runs `body` with one server, and with the next one if the first fails.
  func on<Value>(
    _ body: (ClickHouseServer) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    var failure = Failure(.unavailable, "\(name): has no server")
    let first = last.withLock { $0 }
    for place in servers.indices.map({ ($0 + first) % servers.count }) {
      do throws(Failure) {
        let value = try await body(servers[place])
        last.withLock { $0 = place }
        return value
      } catch {
        guard error.kind == .unavailable else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// Runs `body` with each server.
  /// - Throws: the failure of a server that is away, after all others; not if each shard has another
  ///   replica.
  func onAll(
    _ body: (ClickHouseServer) async throws(Failure) -> Void
  ) async throws(Failure) {
    var absence: Failure?
    for server in servers {
      do throws(Failure) { try await body(server) } catch {
        guard error.kind == .unavailable else { throw error }
        absence = error
      }
    }
    guard let absence else { return }
    guard address.isReplicated else { throw absence }
    // Fails if all replicas of a shard are away.
    try await on { server throws(Failure) in try await server.run("SELECT count() FROM audit") }
  }

  /// Reads rows of all shards.
  /// - Parameter gaps: see `ClickHouseServer.read`.
  func rows<Row>(
    _ sql: String, allowingGaps gaps: Bool = true,
    _ row: (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    try await on { server throws(Failure) in
      try await server.read(sql, allowingGaps: gaps, row)
    }
  }

  func insert(_ rows: RowWriter, into table: String) async throws(Failure) {
    try await on { server throws(Failure) in try await server.insert(rows, into: table) }
  }

  /// Records a removal in `audit`.
  func note(_ what: String) async throws(Failure) {
    var rows = RowWriter()
    rows.row()
    rows.add(seconds)
    rows.add(what)
    try await insert(rows, into: "audit")
  }

  /// Seconds since 1970.
  var seconds: UInt64 { UInt64(max(0, tuning.now())) }
}

/// Selects the rows that answers use.
extension ClickHouseFleetStore {
  /// Reads aggregates of the rows that count: publishers' rows of open days, sums of closed days.
  ///
  /// A group without `day` in its key may come twice: once for the open days, once for the closed ones.
  /// - Parameters:
  ///   - arrays: for ARRAY JOIN; empty: none.
  ///   - group: the columns of GROUP BY; empty: none.
  ///   - outer: columns of these aggregates.
  ///   - clauses: what follows for them.
  func liveRows<Row>(
    _ columns: String, of arrays: String = "", where condition: String = "1",
    by group: String = "", selecting outer: String = "*", grouped clauses: String = "",
    allowingGaps gaps: Bool = true,
    _ row: (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    try await on { server throws(Failure) in
      let open = ClickHouseSchema.isNotBefore(try await days(server).summed)
      let parts = [("sums", open), ("closed", "NOT (\(open))")].map { table, days in
        "SELECT \(columns) FROM \(live(table, arrays, where: "(\(condition)) AND (\(days))"))"
          + (group.isEmpty ? "" : " GROUP BY \(group)")
      }
      return try await server.read(
        "SELECT \(outer) FROM (\(parts.joined(separator: " UNION ALL "))) \(clauses) \(Self.fewRows)",
        allowingGaps: gaps, row)
    }
  }

  /// Small blocks: a row is an array for each of about 8,000 functions, and 18.16 is three times as
  /// fast if the rows stay in the CPU's cache.
  static let fewRows = "SETTINGS max_block_size = 16"

  /// A FROM clause for the latest versions of rows, without removed ones: these may still arrive, or
  /// await deletion.
  func live(_ table: String, _ arrays: String, where condition: String) -> String {
    """
    \(table) FINAL \(arrays.isEmpty ? "" : "ARRAY JOIN \(arrays)") ANY LEFT JOIN (
      SELECT build_id, recorder, max(before) AS gone FROM \(address.database).\(schema.local("dropped"))
      GROUP BY build_id, recorder) AS removed USING (build_id, recorder)
    WHERE \(condition) AND NOT (day < gone AND received < gone)
    """
  }
}

/// The delays and the clock of the store; tests use others.
package struct ClickHouseTuning: Sendable {
  /// Seconds from the closing of a day until it is added up, by the servers' clocks. Rows accepted
  /// earlier arrive within this time.
  package var closingDelay = 600
  /// Seconds from the adding up of a day until its rows are deleted. Questions that began earlier end
  /// within this time.
  package var droppingDelay = 600
  /// Seconds since 1970.
  package var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

  package init() {}
}
