import ClickHouseStore
import Foundation
import HTTPTransport

/// What a request asks a ClickHouse server to do.
struct Statement {
  let request: HTTPRequest
  let sql: String
  /// The place of its server in the store's address; the first keeps the log.
  let server: Int

  init(_ request: HTTPRequest, to address: ClickHouseAddress) {
    self.request = request
    let query = URLComponents(string: request.url)?.queryItems?.first { $0.name == "query" }?.value
    sql = query ?? String(decoding: request.body ?? [], as: UTF8.self)
    server = address.servers.firstIndex { request.url.contains("//\($0)/") } ?? 0
  }

  var isRead: Bool { sql.hasPrefix("SELECT") }

  /// Whether the store waits for something by asking again and again: that changes nothing.
  var isPoll: Bool { sql.contains("system.mutations") }

  /// The table over all shards that rows are added to.
  var spreadTable: String? {
    guard sql.hasPrefix("INSERT INTO `"), let table = sql.split(separator: "`").dropFirst().first,
      !["committed", "horizons", "audit", "dropped", "migration"].contains(table)
    else { return nil }
    return String(table)
  }

  /// The table that rows of an attempt are added to, on whichever server.
  var attemptTable: String? {
    guard let table = spreadTable else { return nil }
    let name = table.hasSuffix("_local") ? String(table.dropLast(6)) : table
    return ["sums", "seen_build", "stage", "known_trace", "sampled_trace"].contains(name)
      ? name : nil
  }

  /// Whether it can be done while other servers than the first are away.
  var isOfFirstServer: Bool {
    if server > 0 { return false }
    if attemptTable != nil { return true }
    if spreadTable != nil || sql.contains("known_trace") { return false }
    return ["committed", "slot", "horizons", "audit", "dropped", "system."].contains {
      sql.contains($0)
    }
  }

  /// The same, with its rows on the shard of the server that is asked alone: as an insert does that
  /// another shard missed.
  var halved: HTTPRequest? {
    guard let table = spreadTable, attemptTable == nil else { return nil }
    var half = request
    half.url = request.url.replacing("%60\(table)%60", with: "%60\(table)_local%60")
    return half
  }

  /// Its first words, for a log.
  var summary: String {
    String(sql.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(110))
  }
}
