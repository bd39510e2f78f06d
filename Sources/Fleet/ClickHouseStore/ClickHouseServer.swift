import FirstlightModel
import HTTPTransport

/// One ClickHouse server, asked over its HTTP interface.
/// Source: ClickHouse documentation, "HTTP interface"; errors begin with `Code: N`.
struct ClickHouseServer: Sendable {
  let url: String
  let name: String
  let address: ClickHouseAddress
  let send: ClickHouseFleetStore.Sender
  /// Seconds that an answer may take to begin.
  var timeout: Int64 = 120
  /// What the tables in statements stand for, with replicas.
  var sources: TableSources?

  init(
    _ server: String, address: ClickHouseAddress, send: @escaping ClickHouseFleetStore.Sender
  ) {
    url = "\(address.isSecure ? "https" : "http")://\(server)/"
    name = "clickhouse \(server)"
    self.address = address
    self.send = send
  }

  /// Does what a statement says.
  /// - Parameter inDatabase: false if the store's database need not be there.
  func run(_ sql: String, inDatabase: Bool = true) async throws(ClickHouseError) {
    _ = try await execute(sql, data: nil, inDatabase: inDatabase)
  }

  /// Adds rows in the format RowBinary.
  func insert(_ rows: RowWriter, into table: String) async throws(ClickHouseError) {
    guard rows.count > 0 else { return }
    _ = try await execute(
      "INSERT INTO `\(table)` FORMAT RowBinary", data: rows.bytes, inDatabase: true)
  }

  /// Asks; `row` takes each row's columns off the reader.
  /// - Parameter inDatabase: false if the store's database need not be there.
  func read<Row>(
    _ sql: String, inDatabase: Bool = true, _ row: (inout RowReader) throws(Failure) -> Row
  ) async throws(ClickHouseError) -> [Row] {
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
    return try rows.mapError(ClickHouseError.failure).get()
  }

  private func execute(
    _ sql: String, data: [UInt8]?, inDatabase: Bool
  ) async throws(ClickHouseError) -> [UInt8] {
    let sql = data == nil ? sources?.applied(to: sql) ?? sql : sql
    var url = url + "?" + Self.settings
    if inDatabase { url += "&database=\(address.database)" }
    if data != nil { url += "&query=" + Self.escaped(sql) }
    let request = HTTPRequest(
      "POST", url,
      headers: [("X-ClickHouse-User", address.user), ("X-ClickHouse-Key", address.password)],
      body: data ?? Array(sql.utf8), timeout: timeout, answerLimit: 1 << 30)
    let answer: HTTPAnswer
    do {
      answer = try await send(request)
    } catch {
      throw .failure(error)
    }
    if answer.status == 200 { return answer.body }
    throw ClickHouseError.of(answer, from: name)
  }

  /// Rows are on all shards when an insert returns; an answer begins when it is complete, so that it
  /// is not followed by an error; lists of ids may be long; sums may be larger than memory.
  private static let settings =
    "wait_end_of_query=1&insert_distributed_sync=1&max_query_size=67108864&max_ast_elements=1000000"
    + "&max_expanded_ast_elements=1000000&max_bytes_before_external_group_by=1000000000"

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

/// Why a server did not do what it was asked to.
enum ClickHouseError: Error {
  /// What was to be made is there already.
  case exists
  /// Servers that were chosen to be asked lack rows by now: others are to be chosen.
  case serversChanged
  case failure(Failure)

  var failure: Failure {
    switch self {
    case .exists: Failure(.data, "the ClickHouse store contains an unexpected table")
    case .serversChanged:
      Failure(.unavailable, "a ClickHouse replica went away or came back meanwhile; try again")
    case .failure(let failure): failure
    }
  }

  static func of(_ answer: HTTPAnswer, from name: String) -> ClickHouseError {
    let text = answer.text.prefix(2000)
    let digits = text.split(separator: "Code: ", maxSplits: 1).last?.prefix { $0.isNumber }
    let code = text.contains("Code: ") ? digits.flatMap { Int($0) } : nil
    let lines = text.split(whereSeparator: \.isNewline)
    let line = String((lines.first ?? "no reason given").prefix(400))
    let reason = line.split(separator: "DB::Exception: ").last.map(String.init) ?? line
    switch code {
    // TABLE_ALREADY_EXISTS, DDL_GUARD_IS_ACTIVE; in ZooKeeper: INCOMPATIBLE_COLUMNS,
    // REPLICA_IS_ALREADY_EXIST.
    case 57, 347, 122, 253: return .exists
    // REQUIRED_PASSWORD, UNKNOWN_USER, WRONG_PASSWORD, AUTHENTICATION_FAILED.
    case 192, 193, 194, 516:
      return .failure(
        Failure(
          .unavailable, "\(name): authentication failed: \(reason)",
          advice: "check user and password: clickhouse:http://USER:PASSWORD@HOST"))
    // UNKNOWN_TABLE, UNKNOWN_DATABASE: another daemon may be making them.
    case 60, 81:
      return .failure(
        Failure(
          .unavailable, "\(name): contains no store: \(reason)",
          advice: "firstlightd --store creates one when it starts"))
    // What we ask is the same on every day, so trying again does not help.
    case 47, 62, 46, 43, 53, 115:
      return .failure(
        Failure(
          .data, "\(name): unsupported: \(reason)",
          advice: "use ClickHouse 18.16 or newer"))
    default: return .failure(Failure(.unavailable, "\(name): \(reason)"))
    }
  }
}
