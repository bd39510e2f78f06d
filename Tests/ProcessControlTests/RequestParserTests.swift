import ProcessControl
import Testing

/// HTTP/1.1 requests as programs send them, in pieces of any size, and as nobody should.
@Suite struct RequestParserTests {
  private func requests(_ text: String, piece: Int = .max) throws -> [RequestParser.Request] {
    var parser = RequestParser()
    var rest = Array(text.utf8)[...]
    var requests: [RequestParser.Request] = []
    while !rest.isEmpty {
      requests += try parser.take(rest.prefix(piece))
      rest = rest.dropFirst(piece)
    }
    return requests
  }

  private static let pair = """
    GET /next HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept:  */* \r\n\r\n\
    POST /answer HTTP/1.1\r\ncontent-length: 7\r\nX: a: b\r\n\r\n{"a":1}
    """

  @Test(arguments: [1, 2, 3, 7, 64, Int.max])
  func requestsInPiecesAreReadOneAfterTheOther(piece: Int) throws {
    let made = try requests(Self.pair, piece: piece)
    try #require(made.count == 2)
    #expect(made[0].method == "GET" && made[0].path == "/next" && made[0].body.isEmpty)
    #expect(made[0].headers == ["host": "127.0.0.1", "accept": "*/*"])
    #expect(made[1].headers["x"] == "a: b")
    #expect(made[1].body == Array(#"{"a":1}"#.utf8))
  }

  @Test(arguments: [1, 5, Int.max])
  func chunkedBodiesAreJoinedAndTrailersAreHeaders(piece: Int) throws {
    let text =
      "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n"
      + "3;name=value\r\nabc\r\nA\r\n0123456789\r\n0\r\nError: late\r\n\r\nGET / HTTP/1.0\r\n\r\n"
    let made = try requests(text, piece: piece)
    try #require(made.count == 2)
    #expect(made[0].body == Array("abc0123456789".utf8))
    #expect(made[0].headers["error"] == "late")
  }

  @Test func ofALargeBodyTheStartIsKept() throws {
    var parser = RequestParser()
    let size = 20 << 20
    #expect(try parser.take("POST / HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n".utf8).isEmpty)
    let part = [UInt8](repeating: 0x61, count: 1 << 20)
    var made: [RequestParser.Request] = []
    for _ in 0..<20 {
      #expect(made.isEmpty)
      made += try parser.take(part)
    }
    #expect(made.first?.body.count == RequestParser.bodyLimit)
  }

  @Test func aSenderThatWaitsBeforeItsBodyIsSeenOnce() throws {
    var parser = RequestParser()
    _ = try parser.take("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8)
    #expect(parser.awaitsContinue)
    #expect(try parser.take("{".utf8).isEmpty)
    #expect(!parser.awaitsContinue)
    #expect(try parser.take("}".utf8).count == 1)
  }

  @Test(arguments: [
    "\u{16}\u{3}\u{1}\r\n", "GET /\r\n", "GET / HTTP/2\r\n", "GET  HTTP/1.1\r\n",
    "GET x HTTP/1.1\r\n",
    "GET / HTTP/1.1\r\nno colon\r\n", "GET / HTTP/1.1\r\n folded: x\r\n",
    "GET / HTTP/1.1\r\n: x\r\n",
    "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
  ])
  func malformedRequestsAreRefused(text: String) {
    #expect(throws: RequestParser.Malformed.self) { try requests(text) }
    #expect(throws: RequestParser.Malformed.self) { try requests(text, piece: 1) }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
  ])
  func headsAndTrailersHaveALimit(start: String) {
    let line = "name: " + String(repeating: "x", count: 1000) + "\r\n"
    let lines = RequestParser.headLimit / line.utf8.count
    #expect(throws: Never.self) {
      try requests(start + String(repeating: line, count: lines - 1), piece: 4096)
    }
    #expect(throws: RequestParser.Malformed.self) {
      try requests(start + String(repeating: line, count: lines + 1), piece: 4096)
    }
    // A line without an end, too.
    #expect(throws: RequestParser.Malformed.self) {
      try requests(start + String(repeating: "x", count: RequestParser.headLimit + 1), piece: 4096)
    }
  }
}
