import Foundation
import TestSupport
import Testing

/// A fleet over HTTP: who may do what, what is refused, what others may do wrong.
@Suite(.serialized, .tags(.browser)) struct FleetHTTPTests {
  @Test func rolesAreKeptApartAndTokensCanBeTakenBack() throws {
    let fleet = try FleetFixture()
    let profile = try fleet.runAndRecord("fd", number: 1)
    let tokens = fleet.program.directory.path("tokens")
    func token(_ role: String) throws -> String {
      try Command.check([Daemon.path, "token", "add", "--role", role, "--file", tokens])
        .trimmingCharacters(in: .newlines)
    }
    let (upload, read, admin) = (try token("upload"), try token("read"), try token("admin"))
    #expect(!(try String(contentsOfFile: tokens, encoding: .utf8)).contains(upload.dropFirst(3)))
    let config = try fleet.program.directory.write("token-file = \(tokens)\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    func run(_ arguments: [String], as token: String?) throws -> CommandResult {
      try Command.run(
        [Toolchain.firstlight] + arguments,
        environment: [
          "FIRSTLIGHT_TOKEN": token ?? "", "XDG_STATE_HOME": fleet.program.directory.path("state"),
        ])
    }
    let send = ["upload", profile, "--to", url, "--label", "version=1.0"]
    let ask = ["fleet", "builds", "--from", url]
    #expect(try run(send, as: nil).errors.contains("no token was given"))
    #expect(try run(send, as: read).errors.contains("this request requires upload"))
    #expect(try run(send, as: upload).errors.contains("sent 1 run"))
    #expect(try run(send + [profile], as: admin).errors.contains("2 already there"))
    let symbols = ["upload-symbols", fleet.program.executable, "--to", url]
    #expect(try run(symbols, as: upload).errors.contains("this request requires symbols"))
    #expect(try run(symbols, as: token("symbols")).errors.contains("functions of build"))
    #expect(try run(ask, as: upload).status == 69)
    #expect(try run(ask, as: read).output.contains("program  1.0"))
    let dead = try Command.check([
      "curl", "-sf", "-u", "me:\(read)", "\(url)/v1/dead?program=program&version=1.0",
    ])
    #expect(dead.contains("never"))
    #expect(!dead.contains("/v1"))

    let list = try Command.check([Daemon.path, "token", "list", "--file", tokens])
    let line = try #require(list.split(separator: "\n").first { $0.contains(" read ") })
    try Command.check([
      Daemon.path, "token", "revoke", "--file", tokens, String(line.prefix { $0 != " " }),
    ])
    #expect(try run(ask, as: read).errors.contains("was revoked"))
    try daemon.stop()
  }

  @Test func tlsAndClientCertificatesAreAskedFor() throws {
    let fleet = try FleetFixture()
    let profile = try fleet.runAndRecord("b", number: 1)
    let files = fleet.program.directory
    for (name, subject) in [("server", "/CN=localhost"), ("other", "/CN=localhost")] {
      try Command.check([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-days", "2", "-subj", subject, "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", files.path("\(name).key"), "-out",
        files.path("\(name).pem"),
      ])
    }
    let config = try files.write(
      """
      tls-certificate = \(files.path("server.pem"))
      tls-key = \(files.path("server.key"))
      tls-client-ca = \(files.path("server.pem"))
      """, to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "https://localhost:\(try daemon.port())"
    let refused = try Command.run([
      Toolchain.firstlight, "upload", profile, "--to", url, "--ca", files.path("other.pem"),
    ])
    #expect(refused.status == 69)
    let curl = ["curl", "-sS", "--cacert", files.path("server.pem"), "\(url)/healthz"]
    #expect(try Command.run(curl).status != 0)
    let shown = curl + ["--cert", files.path("server.pem"), "--key", files.path("server.key")]
    #expect(try Command.check(shown) == "ok\n")
    // A host shows its certificate to its upstream.
    let host = try files.write(
      """
      upstream-ca = \(files.path("server.pem"))
      upstream-certificate = \(files.path("server.pem"))
      upstream-key = \(files.path("server.key"))
      """, to: "host")
    let sender = try Daemon(["--config", host, "--spool", fleet.spool, "--upstream", url])
    try sender.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    try sender.stop()
    try daemon.stop()
  }

  /// An upstream that fails in every way before it takes anything.
  @Test func aLyingUpstreamLosesAndRepeatsNothing() throws {
    let fleet = try FleetFixture()
    let receiver = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let liar = try Command.start([
      "python3", "-u", "-c", Self.liar, "\(try receiver.port())", Soak.isOn ? "hang" : "",
    ])
    let port: Int = try liar.waitForOutput { output in
      output.split(separator: "\n").first.flatMap { Int($0) }
    }
    for what in ["b", "fd", "d"] { try fleet.run(what) }
    let sender = try Daemon(["--spool", fleet.spool, "--upstream", "http://127.0.0.1:\(port)"])
    try liar.waitForOutput { $0.contains("true at last") ? true : nil }
    try sender.waits(
      for: "0", from: FleetSQL.waiting,
      in: fleet.spool + "/.firstlightd/ledger.sqlite")
    try sender.stop()
    liar.send(SIGKILL)
    _ = try liar.wait()
    try Command.check([
      Toolchain.firstlight, "upload-symbols", fleet.program.executable, "--to",
      "http://127.0.0.1:\(try receiver.port())",
    ])
    try receiver.stop()
    #expect(try fleet.counts() == "a 3\nb 2\nc 1\nd 2\nmain 3\n")
  }

  /// Answers 500, resets, says more than it sends, sends nonsense, takes rows and loses the answer,
  /// in a soak also says nothing for as long as anybody listens; then passes on.
  private static let liar = """
    import http.client, socket, struct, sys
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1])
    def body(peer):
        data = b""
        while b"\\r\\n\\r\\n" not in data:
            data += peer.recv(65536)
        head, rest = data.split(b"\\r\\n\\r\\n", 1)
        headers = dict(l.decode().lower().split(": ", 1) for l in head.split(b"\\r\\n")[1:])
        while len(rest) < int(headers["content-length"]):
            rest += peer.recv(65536)
        path = head.split(b" ")[1].decode()
        return path, rest, {"Authorization": headers["authorization"].replace("bearer", "Bearer"),
            "Content-Encoding": "deflate", "Content-Type": headers["content-type"]}
    def forward(path, data, headers):
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
        connection.request("POST", path, data, headers)
        return connection.getresponse()
    turn = 0
    while True:
        peer, _ = server.accept()
        request = body(peer)
        if turn == 0:
            peer.sendall(b"HTTP/1.1 500 No\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
        elif turn == 1:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif turn == 2:
            peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 1000\\r\\nConnection: close\\r\\n\\r\\n{}")
        elif turn == 3:
            forward(*request).read()
            peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 8\\r\\nConnection: close\\r\\n\\r\\nnonsense")
        elif turn == 4 and sys.argv[2]:
            assert peer.recv(1) == b""
        else:
            text = forward(*request).read()
            peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n" % len(text) + text)
            print("true at last")
        peer.close()
        turn += 1
    """

  @Test func nonsenseIsRefusedAndTheDaemonLives() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write(
      "body-limit = 100K\ninflated-limit = 1M\nsymbol-limit = 1M\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    let script = """
      import http.client, os, random, sys, zlib
      host, token = sys.argv[1], open(sys.argv[2]).read().strip()
      types = {"/v1/states": "application/vnd.firstlight.states", "/v1/symbols?name=x": "application/x-elf"}
      def send(path, data, **headers):
          c = http.client.HTTPConnection(host)
          every = {"Authorization": "Bearer " + token, "Content-Type": types.get(path, "text/plain")}
          c.request("POST", path, data, every | {k.replace("_", "-"): v for k, v in headers.items()})
          r = c.getresponse()
          r.read()
          return r.status, r.getheader("Content-Type")
      rng = random.Random(1)
      problem = "application/problem+json"
      bomb = zlib.compress(bytes(50_000_000), 9)[:90_000]
      assert send("/v1/states", zlib.compress(bytes(3_000_000), 9), Content_Encoding="deflate") == (422, problem)
      assert send("/v1/states", bomb, Content_Encoding="deflate") == (422, problem)
      assert send("/v1/states", bytes(200_000)) == (413, problem)
      assert send("/v1/states", b"", Content_Encoding="br")[0] == 415
      assert send("/v1/states", b"{}", Content_Type="application/json")[0] == 415
      assert send("/v1/symbols?name=x", bytes(2_000_000))[0] == 413
      assert send("/v1/symbols?name=x", b"\\x7fELF" + os.urandom(3000)) == (422, problem)
      assert send("/nowhere", b"")[0] == 404
      for _ in range(300):
          data = b"FLS3" + bytes(rng.randrange(256) for _ in range(32 + rng.randrange(400)))
          status, kind = send("/v1/states", data)
          assert (status, kind) == (422, problem) or status == 200, (status, data)
      import socket
      for _ in range(100):
          s = socket.create_connection(host.split(":"))
          s.sendall(os.urandom(rng.randrange(1, 500)))
          s.close()
      # Slow clients that never end what they began.
      slow = [socket.create_connection(host.split(":")) for _ in range(50)]
      for s in slow:
          s.sendall(f"POST /v1/states HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer {token}\\r\\nContent-Type: {types['/v1/states']}\\r\\nContent-Length: 100\\r\\n\\r\\nFL".encode())
      c = http.client.HTTPConnection(host)
      c.request("GET", "/readyz")
      assert c.getresponse().status == 200
      """
    try Command.check([
      "python3", "-c", script, String(url.dropFirst(7)),
      TemporaryDirectory.state + "/firstlight/local-token",
    ])
    try daemon.stop()
    #expect(try Command.check(["sqlite3", fleet.store, "SELECT count(*) FROM build"]) == "0\n")
  }

  @Test func theDescriptionNamesWhatThereIs() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try fleet.run("fd")
    try daemon.hasSaid("functions named")
    let text = try Command.check(["curl", "-sf", "\(url)/v1/openapi.json"])
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let paths = try #require(object?["paths"] as? [String: [String: Any]])
    #expect(paths.count == 14)
    for (path, methods) in paths where methods["get"] != nil {
      let code = try Command.check([
        "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", url + path,
      ])
      #expect(code == "200", "\(path)")
    }
    // What a form, a misspelling or another method makes of it.
    for (words, status) in [
      (["/v1/order?image=pro%67r[a]m"], "200"), (["/v1/order?programm=x"], "400"),
      (["/v1/builds?after=00+guards+program"], "200"),
      (["/v1/builds?after=00%2Bguards%2Bprogram"], "400"), (["/v1/dead?program=other"], "404"),
      (["/v1/order", "-I"], "200"), (["/v1/order", "-X", "DELETE"], "405"),
    ] {
      let code = try Command.check(
        ["curl", "-gs", "-o", "/dev/null", "-w", "%{http_code}", url + words[0]] + words[1...])
      #expect(code == status, "\(words)")
    }
    let metrics = try Command.check(["curl", "-sf", "\(url)/metrics"])
    #expect(metrics.contains("firstlightd_processes_taken_total 2\n"))
    #expect(metrics.contains("# TYPE firstlightd_sink_reachable gauge\n"))
    try daemon.stop()
  }

  @Test func pagesShowWhatWasSeen() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    for what in ["b", "fd", "d"] { try fleet.run(what) }
    try daemon.waits(for: "4", from: FleetSQL.processes, in: fleet.store)
    try daemon.hasSaid("functions named")
    let first = try Command.check(["curl", "-sf", "\(url)/"])
    let link = try #require(first.firstMatch(of: /\/builds\/[0-9a-f]+/)).output
    // As a browser has it, without any script.
    let page = try Command.check([
      "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", url + link,
    ])
    for words in [
      "Functions called so far: is the recording complete?", "Functions by share of runs",
      "Never called, by module",
      "Start-up times of program", "too short to judge",
    ] {
      #expect(page.contains(words))
    }
    #expect(page.contains("<b>3</b><span>runs</span>"))
    try daemon.stop()
  }
}
