import ClickHouseStore
import FirstlightModel
import FleetModel
import HTTPTransport

/// Asks a ClickHouse store behind its back, with the SQL that Documentation/Fleet.md gives for that.
struct ScheduleOracle {
  let address: ClickHouseAddress
  let transport: HTTPTransport

  private static let counts = """
    tag GLOBAL IN (SELECT tag FROM committed
    WHERE tag NOT IN (SELECT arrayJoin(replaces) FROM committed))
    """

  func answer(of build: BuildKey) async throws -> ScheduleAnswer {
    let id = "build_id = '\(build.buildID)'"
    var answer = ScheduleAnswer()
    let functions = try await rows(
      """
      SELECT guard, sum(runs) FROM (
        SELECT called.guard AS guard, called.runs AS runs FROM sums ARRAY JOIN called
        WHERE \(id) AND \(Self.counts)
        UNION ALL
        SELECT guard, runs FROM called
        WHERE build = cityHash64('\(build.buildID)', '\(build.recorder.rawValue)')
        AND \(Self.counts)
      ) GROUP BY guard
      """)
    for row in functions { answer.runs[row[0]] = row[1] }
    let totals = try await rows(
      "SELECT sum(runs), count() FROM sums WHERE \(id) AND \(Self.counts)")
    for row in totals where row[1] > 0 { answer.totals = [row[0]] }
    return answer
  }

  /// Ids of traces that the store would know twice.
  func repeatedTraces() async throws -> Int {
    try await rows(
      """
      SELECT count() FROM (SELECT high, low FROM known_trace
      WHERE \(Self.counts) GROUP BY high, low HAVING count() > 1)
      """)[0][0]
  }

  func run(_ sql: String) async throws { _ = try await send(sql) }

  /// Rows of numbers.
  private func rows(_ sql: String) async throws -> [[Int]] {
    try await send(sql).split(whereSeparator: \.isNewline).map { line in
      line.split(separator: "\t").compactMap { Int($0) }
    }
  }

  private func send(_ sql: String, to server: String? = nil) async throws -> String {
    let server = server ?? address.servers[0]
    let answer = try await transport.send(
      .init("POST", "http://\(server)/?database=\(address.database)", body: Array(sql.utf8)))
    guard answer.status == 200 else { throw Failure(.data, "\(sql): \(answer.text)") }
    return answer.text
  }

  /// Removes the database, which nobody needs any more.
  func drop() async throws {
    for server in address.servers {
      _ = try await transport.send(
        .init("POST", "http://\(server)/", body: Array("DROP DATABASE \(address.database)".utf8)))
    }
  }
}
