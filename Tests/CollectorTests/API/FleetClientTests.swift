import Collector
import FirstlightModel
import FleetModel
import Foundation
import HTTPTransport
import TestSupport
import Testing

/// Answers that only a daemon with a broken store gives, by Python's server.
@Suite struct FleetClientTests {
  private static let program = """
    import http.server
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            missing = "no replica of shard 1 answers"
            self.send_response(200); self.send_header("Firstlight-Incomplete", missing)
            self.send_header("Content-Type", "application/json"); self.end_headers()
            self.wfile.write(b'{"startups": []}')
        def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  @Test func whatAnAnswerLacksIsNoted() async throws {
    let server = try Command.start(["python3", "-c", Self.program])
    defer {
      server.process.terminate()
      server.process.waitUntilExit()
    }
    let port = try server.waitForOutput { $0.hasSuffix("\n") ? Int($0.dropLast()) : nil }
    let client = try FleetClient(
      url: "http://127.0.0.1:\(port)", token: nil, transport: HTTPTransport(.init()))
    let gaps = AnswerGaps()
    let document: StartupsDocument = try await AnswerGaps.$current.withValue(gaps) {
      try await client.get("/v1/startups")
    }
    #expect(document.startups.isEmpty)
    #expect(gaps.lines == ["no replica of shard 1 answers"])
  }
}
