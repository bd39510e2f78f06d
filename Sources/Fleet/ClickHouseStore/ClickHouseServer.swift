import FirstlightModel
import FleetModel
import Foundation
import HTTPTransport

/// One ClickHouse server, queried through its HTTP interface.
/// Source: ClickHouse documentation, "HTTP interface"; errors begin with `Code: N`.
struct ClickHouseServer: Sendable {
  let url: String
  let name: String
  let address: ClickHouseAddress
  let send: ClickHouseFleetStore.Sender
  /// Seconds until an answer must begin.
  var timeout: Int64 = 120

  init(
    _ server: String, address: ClickHouseAddress, send: @escaping ClickHouseFleetStore.Sender
  ) {
    url = "\(address.isSecure ? "https" : "http")://\(server)/"
    name = "clickhouse \(server)"
    self.address = address
    self.send = send
  }

  /// Runs a statement.
  /// - Parameter inDatabase: false if the store's database may be missing.
  func run(_ sql: String, inDatabase: Bool = true) async throws(Failure) {
    _ = try await execute(sql, inDatabase: inDatabase)
  }

  /// Adds rows in the format RowBinary.
  func insert(_ rows: RowWriter, into table: String) async throws(Failure) {
    guard rows.count > 0 else { return }
    _ = try await execute("INSERT INTO \(table) FORMAT RowBinary", data: rows.bytes)
  }

  /// Runs a SELECT; `row` reads each row's columns from the reader.
  /// - Parameter gaps: whether an incomplete or old answer is useful; if other servers of the cluster are
  ///   away or behind, `AnswerGaps` says so.
  func read<Row>(
    _ sql: String, allowingGaps gaps: Bool = false,
    _ row: (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    let bytes = try await execute(sql + " FORMAT RowBinary", allowingGaps: gaps)
    let rows = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in
        var reader = RowReader(bytes, from: name)
        var rows: [Row] = []
        while !reader.isAtEnd { rows.append(try row(&reader)) }
        return rows
      }
    }
    return try rows.get()
  }

  private func execute(
    _ sql: String, data: [UInt8]? = nil, inDatabase: Bool = true, allowingGaps gaps: Bool = false
  ) async throws(Failure) -> [UInt8] {
    var url = url + "?" + Self.settings
    if inDatabase { url += "&database=\(address.database)" }
    if data != nil { url += "&query=" + Escaping.urlValue(sql) }
    var (accepted, limits): (Set<Int>, String) = ([], gaps ? Self.current : "")
    while true {
      let request = HTTPRequest(
        "POST", url + limits,
        headers: [("X-ClickHouse-User", address.user), ("X-ClickHouse-Key", address.password)],
        body: data ?? Array(sql.utf8), timeout: timeout, answerLimit: 1 << 30)
      let answer = try await send(request)
      if answer.status == 200 { return answer.body }
      let (failure, code) = failure(in: answer)
      guard gaps, let code, accepted.insert(code).inserted else { throw failure }
      switch code {
      // ALL_CONNECTION_TRIES_FAILED.
      case 279:
        limits += "&skip_unavailable_shards=1"
        let servers = Set(answer.text.matches(of: /\(([^() ]+:[0-9]+)\)/).map { String($0.1) })
        AnswerGaps.current?.note(
          "incomplete: no server of a shard answers (\(servers.sorted().joined(separator: ", "))); "
            + "its rows are missing")
      // ALL_REPLICAS_ARE_STALE.
      case 369:
        limits = limits.replacing(utf8: Self.current, with: "")
        AnswerGaps.current?.note("may be old: all replicas of a shard are 10 s behind or more")
      default: throw failure
      }
    }
  }

  /// With `wait_end_of_query`, no error follows a partial answer. Lists of keys make statements long.
  /// Sums may exceed memory. A year of days is hundreds of files read at once, so buffers are small.
  /// `insert_deduplicate=0`: ClickHouse would ignore an insert equal to one whose rows were removed.
  /// `insert_distributed_sync=1`: an acknowledged row is on its shard.
  private static let settings =
    "wait_end_of_query=1&insert_deduplicate=0&insert_distributed_sync=1&max_query_size=67108864"
    + "&max_ast_elements=1000000&max_expanded_ast_elements=1000000"
    + "&max_bytes_before_external_group_by=1000000000&max_read_buffer_size=65536"
    + "&connect_timeout_with_failover_ms=1000&receive_timeout=25"

  /// Fails if all replicas of a shard are 10 seconds behind or more.
  private static let current =
    "&max_replica_delay_for_distributed_queries=10&fallback_to_stale_replicas_for_distributed_queries=0"
}

extension ClickHouseServer {
  /// The failure in an answer, with ClickHouse's error code.
  private func failure(in answer: HTTPAnswer) -> (Failure, code: Int?) {
    let text = answer.text.prefix(2000)
    // The first code: those of other servers follow.
    let code = text.cut(at: "Code: ").flatMap {
      Int(Substring($0.behind.utf8.prefix(while: \.isASCIIDigit)))
    }
    let lines = text.lines.filter { !$0.isEmpty }.joined(separator: " ")
    let line = lines.isEmpty ? "no reason given" : String(lines.prefix(400))
    let reason = line.split(at: "DB::Exception: ").dropFirst().joined(separator: " ")
    let problem = reason.isEmpty ? line : reason
    let failure =
      switch code {
      // REQUIRED_PASSWORD, UNKNOWN_USER, WRONG_PASSWORD, AUTHENTICATION_FAILED.
      case 192, 193, 194, 516:
        Failure(
          .unavailable, "\(name): authentication failed: \(problem)",
          advice: "check user and password: clickhouse:http://USER:PASSWORD@HOST")
      // UNKNOWN_TABLE, UNKNOWN_DATABASE: another daemon may be creating them.
      case 60, 81:
        Failure(
          .unavailable, "\(name): contains no store of this version: \(problem)",
          advice: "firstlightd --store creates one when it starts, or says why it cannot")
      // Errors in the statement itself, which a retry would repeat.
      case 47, 62, 46, 43, 53, 115:
        Failure(
          .data, "\(name): unsupported: \(problem)", advice: "use ClickHouse 18.16 or newer")
      default: Failure(.unavailable, "\(name): \(problem)")
      }
    return (failure, code)
  }
}
