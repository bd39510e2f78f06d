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
    _ = try await execute(sql, data: nil, inDatabase: inDatabase)
  }

  /// Adds rows in the format RowBinary.
  /// - Parameter columns: the rows' columns; nil for all.
  func insert(
    _ rows: RowWriter, into table: String, columns: String? = nil
  ) async throws(Failure) {
    guard rows.count > 0 else { return }
    let columns = columns.map { " (\($0))" } ?? ""
    _ = try await execute(
      "INSERT INTO `\(table)`\(columns) FORMAT RowBinary", data: rows.bytes, inDatabase: true)
  }

  /// Runs a SELECT; `row` reads each row's columns from the reader.
  /// - Parameter inDatabase: false if the store's database may be missing.
  func read<Row>(
    _ sql: String, inDatabase: Bool = true, _ row: (inout RowReader) throws(Failure) -> Row
  ) async throws(Failure) -> [Row] {
    let bytes = try await execute(
      sql + " FORMAT RowBinary", data: nil, inDatabase: inDatabase)
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
    _ sql: String, data: [UInt8]?, inDatabase: Bool
  ) async throws(Failure) -> [UInt8] {
    var url = url + "?" + Self.settings
    if inDatabase { url += "&database=\(address.database)" }
    if data != nil { url += "&query=" + Self.escaped(sql) }
    let request = HTTPRequest(
      "POST", url,
      headers: [("X-ClickHouse-User", address.user), ("X-ClickHouse-Key", address.password)],
      body: data ?? Array(sql.utf8), timeout: timeout, answerLimit: 1 << 30)
    let answer = try await send(request)
    if answer.status == 200 { return answer.body }
    throw failure(in: answer)
  }

  /// With `wait_end_of_query`, no error follows a partial answer. Lists of keys make statements long.
  /// Sums may exceed memory. A year of days is hundreds of files read at once, so buffers are small.
  /// `insert_deduplicate=0`: ClickHouse would ignore an insert equal to one whose rows were removed.
  private static let settings =
    "wait_end_of_query=1&insert_deduplicate=0&max_query_size=67108864&max_ast_elements=1000000"
    + "&max_expanded_ast_elements=1000000&max_bytes_before_external_group_by=1000000000"
    + "&max_read_buffer_size=65536"

  private static func escaped(_ text: String) -> String {
    let hex = Array("0123456789ABCDEF")
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x2e, 0x2d:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
      }
    }
    return result
  }
}

extension ClickHouseServer {
  /// The failure in an answer.
  private func failure(in answer: HTTPAnswer) -> Failure {
    let text = answer.text.prefix(2000)
    let digits = text.split(separator: "Code: ", maxSplits: 1).last?.prefix { $0.isNumber }
    let code = text.contains("Code: ") ? digits.flatMap { Int($0) } : nil
    let lines = text.split(whereSeparator: \.isNewline)
    let line = String((lines.first ?? "no reason given").prefix(400))
    let reason = line.split(separator: "DB::Exception: ").last.map(String.init) ?? line
    switch code {
    // REQUIRED_PASSWORD, UNKNOWN_USER, WRONG_PASSWORD, AUTHENTICATION_FAILED.
    case 192, 193, 194, 516:
      return Failure(
        .unavailable, "\(name): authentication failed: \(reason)",
        advice: "check user and password: clickhouse:http://USER:PASSWORD@HOST")
    // UNKNOWN_TABLE, UNKNOWN_DATABASE: another daemon may be creating them.
    case 60, 81:
      return Failure(
        .unavailable, "\(name): contains no store of this version: \(reason)",
        advice: "firstlightd --store creates one when it starts, or says why it cannot")
    // Errors in the statement itself, which a retry would repeat.
    case 47, 62, 46, 43, 53, 115:
      return Failure(
        .data, "\(name): unsupported: \(reason)",
        advice: "use ClickHouse 18.16 or newer")
    default: return Failure(.unavailable, "\(name): \(reason)")
    }
  }
}

/// The delays and the clock of the store; tests use others.
package struct ClickHouseTuning: Sendable {
  /// Seconds from the closing of a day until it is added up, by the servers' clocks. Rows accepted
  /// earlier arrive within this time.
  package var closingDelay = 600
  /// Time for which a server's last report is used, and for which a silent server is skipped.
  package var lookAge = Duration.seconds(2)
  /// Time limit for a server's report, seconds.
  package var lookTimeout: Int64 = 3
  package var silence = Duration.seconds(10)
  /// Delay of a replica in seconds above which answers mention it.
  package var shownDelay = 10
  /// Seconds since 1970.
  package var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

  package init() {}
}
