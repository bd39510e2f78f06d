import FirstlightModel
import Testing

@testable import ClickHouseStore
@testable import HTTPTransport

/// What goes to a server, and what its answers come to.
@Suite struct ClickHouseServerTests {
  @Test func statementsGoWithTheirSettings() async throws {
    let script = ScriptedServer()
    let server = try script.server("https://me:secret@db/evidence")
    try await server.run("SELECT 1")
    let request = try #require(script.requests.first)
    #expect(request.method == "POST")
    #expect(request.url.hasPrefix("https://db:8443/?wait_end_of_query=1&"))
    #expect(request.url.contains("&insert_deduplicate=0&"))
    #expect(request.url.hasSuffix("&database=evidence"))
    #expect(!request.url.contains("secret"))
    #expect(request.headers.contains { $0 == ("X-ClickHouse-User", "me") })
    #expect(request.headers.contains { $0 == ("X-ClickHouse-Key", "secret") })
    #expect(request.body == Array("SELECT 1".utf8))
    try await server.run("CREATE DATABASE x", inDatabase: false)
    #expect(script.requests.last?.url.contains("database=") == false)
  }

  @Test func rowsGoBehindTheirStatement() async throws {
    let script = ScriptedServer()
    let server = try script.server()
    try await server.insert(RowWriter(), into: "build")
    #expect(script.requests.isEmpty)
    var rows = RowWriter()
    rows.row()
    rows.add("x")
    try await server.insert(rows, into: "build")
    let request = try #require(script.requests.first)
    #expect(request.url.hasSuffix("&query=INSERT%20INTO%20%60build%60%20FORMAT%20RowBinary"))
    #expect(request.body == [1, 0x78])
    try await server.insert(rows, into: "build", columns: "a")
    let query = "&query=INSERT%20INTO%20%60build%60%20%28a%29%20FORMAT%20RowBinary"
    #expect(script.requests.last?.url.hasSuffix(query) == true)
  }

  @Test func answersAreReadRowByRow() async throws {
    let script = ScriptedServer()
    script.answer("SELECT a") { rows in
      for number in 1...3 as ClosedRange<UInt32> { rows.add(number) }
    }
    let server = try script.server()
    let numbers = try await server.read("SELECT a") { row throws(Failure) in
      try row.integer(UInt32.self)
    }
    #expect(numbers == [1, 2, 3])
    #expect(script.requests.first?.body == Array("SELECT a FORMAT RowBinary".utf8))
    await #expect(throws: Failure.self) {
      try await server.read("SELECT a") { row throws(Failure) in try row.integer(UInt64.self) }
    }
  }

  @Test(
    arguments: [
      (516, .unavailable, "authentication failed"), (60, .unavailable, "contains no store"),
      (47, .data, "unsupported"), (241, .unavailable, "clickhouse db:8123: no"),
    ] as [(Int, Failure.Kind, String)])
  func anErrorSaysWhatToDo(code: Int, kind: Failure.Kind, words: String) async throws {
    let script = ScriptedServer()
    script.refuse("SELECT", code: code)
    let server = try script.server()
    let error = await #expect(throws: Failure.self) { try await server.run("SELECT 1") }
    #expect(error?.kind == kind)
    #expect(error?.problem.contains(words) == true, "\(error?.problem ?? "")")
  }

  /// What another program answers on that port.
  @Test func anAnswerOfAnythingElseIsQuotedInPart() async throws {
    let script = ScriptedServer()
    let server = try script.server()
    let page = "<html>" + String(repeating: "x", count: 900)
    script.answer("SELECT 1", status: 404, Array(page.utf8))
    let failure = await #expect(throws: Failure.self) { try await server.run("SELECT 1") }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.problem.hasPrefix("clickhouse db:8123: <html>xxx") == true)
    #expect(failure?.problem.count ?? 999 < 440)
    script.answer("SELECT 2", status: 500, [])
    let nothing = await #expect(throws: Failure.self) { try await server.run("SELECT 2") }
    #expect(nothing?.problem == "clickhouse db:8123: no reason given")
  }
}
