import FirstlightModel
import HTTPTransport

/// Ways to break the commit protocol, by which the checker of schedules is checked.
enum ScheduleSabotage: CaseIterable {
  /// Receivers are not told which traces are known.
  case forgottenTraces
  /// A number goes to each who wants it.
  case sharedSlots
  /// A server acknowledges functions that it does not write.
  case lostRows
  /// A sum does not say what it replaces.
  case keptSummands

  func send(
    _ statement: Statement, by transport: HTTPTransport
  ) async throws(Failure) -> HTTPAnswer {
    var request = statement.request
    var nothing = request
    nothing.body = Array("SELECT 1 WHERE 0 FORMAT RowBinary".utf8)
    switch self {
    case .forgottenTraces:
      request.body = Array(
        statement.sql.replacing("AND low IN (", with: "AND low IN (0) AND 0 IN (").utf8)
    case .sharedSlots:
      guard statement.sql.hasPrefix("CREATE TABLE slot_") else { break }
      _ = try await transport.send(request)
      request = nothing
    case .lostRows:
      if statement.attemptTable == "sums" {
        nothing.url = request.url.split(separator: "&query=").first.map(String.init) ?? request.url
        request = nothing
      }
    case .keptSummands:
      // A server drops the partitions, and a sum is never said to replace them.
      guard statement.sql.hasPrefix("CREATE TABLE slot_") else { break }
      request.body = Array(statement.sql.replacing(#/, r[0-9]+ UInt8/#, with: "").utf8)
    }
    return try await transport.send(request)
  }
}
