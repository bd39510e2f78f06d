import FirstlightModel
import Foundation
import HTTPTransport
import TestSupport
import Testing

/// Requests to Python's server, which says what it was asked.
@Suite(.serialized) struct TransportTests {
  private static let program = """
    import http.server, json, sys, threading, time
    seen = []
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def answer(self):
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size).decode("latin-1")
            if self.path == "/short":
                self.send_response(200); self.send_header("Content-Length", "100"); self.end_headers()
                self.wfile.write(b"abc"); self.close_connection = True; return
            if self.path == "/silent": time.sleep(3600)
            if self.path == "/closed": self.close_connection = True; return
            if self.path == "/large":
                self.send_response(200); self.send_header("Content-Length", str(8 << 20))
                self.end_headers(); self.wfile.write(b"x" * (8 << 20)); return
            seen.append(self.client_address[1])
            text = json.dumps({"method": self.command, "body": body, "ports": seen,
                               "headers": {k.lower(): v for k, v in self.headers.items()}}).encode()
            self.send_response(302 if self.path == "/moved" else 200)
            if self.path == "/moved": self.send_header("Location", "/elsewhere")
            self.send_header("X-Word", " a:b "); self.send_header("Content-Length", str(len(text)))
            self.end_headers(); self.wfile.write(text)
        do_GET = do_POST = do_DELETE = do_PUT = answer
        def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  private struct Seen: Decodable {
    var method, body: String
    var ports: [Int]
    var headers: [String: String]

    init(_ answer: HTTPAnswer) throws {
      self = try JSONDecoder().decode(Seen.self, from: Data(answer.body))
    }
  }

  private func served(_ body: (String) async throws -> Void) async throws {
    let server = try Command.start(["python3", "-c", Self.program])
    defer {
      server.process.terminate()
      server.process.waitUntilExit()
    }
    let port = try server.waitForOutput { $0.hasSuffix("\n") ? Int($0.dropLast()) : nil }
    try await body("http://127.0.0.1:\(port)")
  }

  private func failure(_ request: HTTPRequest, by transport: HTTPTransport) async -> Failure? {
    do throws(Failure) {
      _ = try await transport.send(request)
      return nil
    } catch { return error }
  }

  @Test func methodsBodiesAndHeadersArriveAsTheyAre() async throws {
    let transport = try HTTPTransport()
    try await served { url in
      let answer = try await transport.send(
        HTTPRequest("POST", url + "/x", headers: [("X-A", "b")], body: Array("a\0ä".utf8)))
      #expect(answer.status == 200)
      #expect(answer.header("x-word") == "a:b")
      let seen = try Seen(answer)
      #expect(seen.method == "POST")
      #expect(seen.body == "a\0Ã¤")
      #expect(seen.headers["x-a"] == "b")
      #expect(seen.headers["expect"] == nil && seen.headers["content-type"] == nil)
      let empty = try Seen(try await transport.send(HTTPRequest("PUT", url, body: [])))
      #expect(empty.method == "PUT" && empty.headers["content-length"] == "0")
      #expect(try Seen(try await transport.send(HTTPRequest("DELETE", url))).method == "DELETE")
    }
  }

  /// libcurl repeats a request by itself on a connection that it used before: only one that changes
  /// nothing may be sent on such a connection.
  @Test func onlyRequestsThatChangeNothingShareAConnection() async throws {
    let transport = try HTTPTransport()
    try await served { url in
      for _ in 0..<3 { _ = try await transport.send(HTTPRequest("GET", url)) }
      for _ in 0..<3 { _ = try await transport.send(HTTPRequest("POST", url, body: [1])) }
      let ports = try Seen(try await transport.send(HTTPRequest("GET", url))).ports
      #expect(Set(ports.prefix(3)).count == 1)
      #expect(Set(ports[3..<6]).count == 3)
    }
  }

  @Test func anAnswerThatSaysElsewhereIsAnAnswer() async throws {
    let transport = try HTTPTransport()
    try await served { url in
      let answer = try await transport.send(HTTPRequest("GET", url + "/moved"))
      #expect(answer.status == 302)
    }
  }

  @Test func halfAnAnswerIsNone() async throws {
    let transport = try HTTPTransport(.init(readTimeout: 1))
    try await served { url in
      let short = await failure(HTTPRequest("GET", url + "/short"), by: transport)
      #expect(short?.kind == .unavailable)
      #expect(short?.description.contains("closed before the answer's end") == true)
      let closed = await failure(HTTPRequest("POST", url + "/closed", body: [1]), by: transport)
      #expect(closed?.description.contains("closed before the answer's end") == true)
      let silent = await failure(HTTPRequest("GET", url + "/silent"), by: transport)
      #expect(silent?.description.contains("timed out") == true)
      let late = await failure(
        HTTPRequest("GET", url + "/silent", timeout: 1), by: try HTTPTransport())
      #expect(late?.description.contains("timed out") == true)
      let large = await failure(
        HTTPRequest("GET", url + "/large", answerLimit: 1000), by: transport)
      #expect(large?.description.contains("more than 1000 bytes") == true)
    }
  }

  @Test func aCancelledTaskStopsWaiting() async throws {
    let transport = try HTTPTransport()
    try await served { url in
      let task = Task { try await transport.send(HTTPRequest("GET", url + "/silent")) }
      task.cancel()
      await #expect(throws: Failure.self) { _ = try await task.value }
    }
  }

  @Test func manyRequestsGoAtOnce() async throws {
    let transport = try HTTPTransport()
    try await served { url in
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<64 {
          group.addTask { try await transport.send(HTTPRequest("GET", url)).status }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses == Array(repeating: 200, count: 64))
    }
  }

  @Test func whoIsNotThereIsNamed() async throws {
    let transport = try HTTPTransport()
    let refused = await failure(HTTPRequest("GET", "http://127.0.0.1:1/"), by: transport)
    #expect(refused?.description == "127.0.0.1:1: no answer: connection refused")
    let none = await failure(HTTPRequest("GET", "http://nowhere.invalid/"), by: transport)
    #expect(none?.description.contains("unknown host") == true)
    try await served { url in
      let plain = url.replacing("http://", with: "https://")
      let answer = await failure(HTTPRequest("GET", plain), by: transport)
      #expect(answer?.description.contains("does not support TLS; try http://") == true)
    }
  }

  @Test func filesOfTLSAreSeenToFirst() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write("hello\n", to: "text.pem")
    for files in [
      TLSFiles(authorities: text), TLSFiles(certificate: text, key: text),
      TLSFiles(authorities: directory.path("none")),
    ] {
      let failure = #expect(throws: Failure.self) { _ = try HTTPTransport(.init(tls: files)) }
      #expect(failure?.description.contains(directory.url.path) == true)
    }
  }
}
