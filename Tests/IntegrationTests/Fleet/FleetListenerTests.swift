import Foundation
import TestSupport
import Testing

/// A firstlightd on loopback, with no token file: what other users of the machine and pages in a browser
/// can do to it.
@Suite(.serialized, .tags(.browser)) struct FleetListenerTests {
  /// A daemon whose state lies in a directory of its own.
  private struct Listener {
    let fleet: FleetFixture
    let state: String
    let daemon: Daemon
    let url: String
    let port: Int

    init(environment: [String: String] = [:]) throws {
      fleet = try FleetFixture()
      state = fleet.program.directory.path("state")
      daemon = try Daemon(
        ["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"],
        environment: ["XDG_STATE_HOME": state].merging(environment) { $1 })
      port = try daemon.port()
      url = "http://127.0.0.1:\(port)"
    }

    /// The status that curl gets.
    func status(_ path: String, _ options: [String] = []) throws -> String {
      try Command.check(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "\(url)\(path)"] + options)
    }

    var builds: String {
      get throws {
        try Command.check(["sqlite3", "-readonly", fleet.store, "SELECT count(*) FROM build"])
      }
    }
  }

  @Test(arguments: [
    (["-H", "Host: evil.example"], "421"), (["-H", "Host: 127.evil.example:80"], "421"),
    (["-H", "Host: 0.0.0.0"], "421"), (["-H", "Host: localhost:9"], "200"),
    (["-H", "Host: [::1]:80"], "200"), (["-H", "Host: 127.1.2.3"], "200"),
    (["--http1.0", "-H", "Host:"], "200"), (["-H", "Host:"], "400"), (["-H", "Host;"], "400"),
    (["-H", "Host: local host"], "400"), (["-H", "Host: me@localhost"], "400"),
    (["-H", "Host: localhost/x"], "400"), (["-H", "Host: localhost:x"], "400"),
    (["-H", "Origin: http://evil.example"], "403"), (["-H", "Origin: null"], "403"),
    (["-H", "Host: localhost:1", "-H", "Origin: http://localhost:1"], "200"),
    (["-H", "Host: localhost:1", "-H", "Origin: http://localhost:2"], "403"),
  ])
  func onlyThisMachinesNamesAndPagesAreAnswered(headers: [String], status: String) throws {
    let listener = try Listener()
    for path in ["/", "/v1/builds", "/healthz"] {
      #expect(try listener.status(path, headers) == status, "\(path)")
    }
    try listener.daemon.stop()
  }

  /// RFC 9112, section 3.2. curl sends one line only.
  @Test(arguments: [
    ("1.1\r\nHost: localhost\r\nHost: localhost", "400"),
    ("1.1\r\nhost: localhost\r\nHost: evil.example", "400"),
    ("1.0\r\nHost: localhost\r\nHost: localhost", "400"), ("1.1\r\nX-Host: a", "400"),
    ("1.1\r\nHost: localhost", "200"), ("1.0", "200"),
  ])
  func aRequestNamesOneHost(head: String, status: String) throws {
    let listener = try Listener()
    let line = try Command.check([
      "bash", "-c",
      "exec 3<>/dev/tcp/127.0.0.1/$0 && printf 'GET /healthz HTTP/%s\r\nConnection: close\r\n\r\n' \"$1\" >&3 && head -1 <&3",
      "\(listener.port)", head,
    ])
    #expect(line.hasPrefix("HTTP/1.1 \(status) "))
    try listener.daemon.stop()
  }

  /// A browser that is told that another site's name leads to this machine.
  @Test func aPageCannotReadByANameOfItsOwn() throws {
    let listener = try Listener()
    func page(of host: String) throws -> String {
      try Command.check([
        "chromium", "--headless", "--no-sandbox", "--disable-gpu",
        "--host-resolver-rules=MAP evil.example 127.0.0.1", "--dump-dom",
        "http://\(host):\(listener.port)/",
      ])
    }
    #expect(try page(of: "localhost").contains("<h1>Builds</h1>"))
    #expect(!(try page(of: "evil.example").contains("<h1>Builds</h1>")))
    try listener.daemon.stop()
  }

  /// A page of another site that sends a sound binary, as a form or script can without being asked.
  @Test func aPageCannotSend() throws {
    let listener = try Listener()
    let binary = try Data(contentsOf: URL(filePath: listener.fleet.program.executable))
    let pages = try TemporaryDirectory()
    try pages.write(
      """
      <!doctype html><body><script>
      const bytes = Uint8Array.from(atob("\(binary.base64EncodedString())"), c => c.charCodeAt(0))
      fetch("\(listener.url)/v1/symbols?name=program",
            {method: "POST", mode: "no-cors", body: new Blob([bytes])})
        .finally(() => { document.body.textContent = "sent" })
      </script>
      """, to: "index.html")
    let site = try Command.start(
      ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"], in: pages.url)
    let port = try site.waitForOutput { $0.firstMatch(of: /port ([0-9]+)/)?.output.1 }
    let page = try Command.check([
      "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000",
      "--dump-dom", "http://127.0.0.1:\(port)/",
    ])
    #expect(page.contains("<body>sent"))
    site.send(SIGKILL)
    _ = try site.wait()
    // Nothing of it is still on its way when the daemon has ended.
    try listener.daemon.stop()
    #expect(try listener.builds == "0\n")
  }

  @Test func whatIsSentHasItsMediaType() throws {
    let listener = try Listener()
    let file = listener.fleet.program.executable
    func post(_ type: String) throws -> String {
      var options = try Daemon.mayPost(type, state: listener.state)
      options += ["--data-binary", "@\(file)"]
      return try listener.status("/v1/symbols?name=program", options)
    }
    // curl sends what a form has if it is told no other.
    #expect(try post("application/x-www-form-urlencoded") == "415")
    #expect(try post("text/plain") == "415")
    #expect(try post("") == "415")
    #expect(try post("Application/X-ELF; a=b") == "200")
    try listener.daemon.stop()
  }

  @Test func onlyWhoCanReadTheLocalTokenSends() throws {
    let listener = try Listener()
    let profile = try listener.fleet.runAndRecord("b", number: 1)
    let file = listener.state + "/firstlight/local-token"
    #expect(try Command.check(["stat", "-c", "%a", file]) == "600\n")
    let token = try String(contentsOfFile: file, encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    func upload(_ environment: [String: String]) throws -> CommandResult {
      try Command.run(
        [Toolchain.firstlight, "upload", profile, "--to", listener.url], environment: environment)
    }
    let elsewhere = ["XDG_STATE_HOME": listener.fleet.program.directory.path("elsewhere")]
    let refused = try upload(elsewhere)
    #expect(refused.status == 69)
    #expect(refused.errors.contains("no token was given; run firstlight as the user of"))
    #expect(try listener.builds == "0\n")
    #expect(
      try upload(["FIRSTLIGHT_TOKEN": "fl_0"]).errors.contains("not this daemon's local token"))
    // Asking needs none, and a wrong one does no harm.
    let ask = [Toolchain.firstlight, "fleet", "builds", "--from", listener.url]
    #expect(try Command.run(ask, environment: elsewhere).status == 0)
    #expect(try Command.run(ask, environment: ["FIRSTLIGHT_TOKEN": "fl_0"]).status == 0)

    #expect(try upload(["XDG_STATE_HOME": listener.state]).errors.contains("sent 1 run"))
    let given = try upload(elsewhere.merging(["FIRSTLIGHT_TOKEN": token]) { $1 })
    #expect(given.errors.contains("already there"))
    try listener.daemon.stop()

    // The next daemon has the same; one whose file others could read does not start.
    let arguments = ["--store", "sqlite:\(listener.fleet.store)", "--listen", "127.0.0.1:0"]
    let environment = ["XDG_STATE_HOME": listener.state]
    let next = try Daemon(arguments, environment: environment)
    _ = try next.port()
    try next.stop()
    #expect(try String(contentsOfFile: file, encoding: .utf8) == token + "\n")
    try Command.check(["chmod", "644", file])
    let open = try Command.run([Daemon.path] + arguments, environment: environment)
    #expect(open.status == 65)
    #expect(open.errors.contains("local-token: must be a file readable only by this user"))
  }

  @Test func daemonsThatStartTogetherShareAToken() throws {
    let directory = try TemporaryDirectory()
    let daemons = try (0..<6).map {
      try Daemon(
        ["--store", "sqlite:\(directory.path("\($0).sqlite"))", "--listen", "127.0.0.1:0"],
        environment: ["XDG_STATE_HOME": directory.path("state")])
    }
    let urls = try daemons.map { "http://127.0.0.1:\(try $0.port())/v1/symbols" }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: directory.path("state/firstlight"))
    #expect(files == ["local-token"])
    for url in urls {
      let answer = try Command.check(
        ["curl", "-s", "--data-binary", "no ELF", url]
          + Daemon.mayPost("application/x-elf", state: directory.path("state")))
      #expect(answer.contains("Unprocessable Content"))
    }
    for daemon in daemons { try daemon.stop() }
  }

  /// Another user has taken the port.
  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func theLocalTokenGoesToItsOwnerOnly() throws {
    let listener = try Listener()
    let profile = try listener.fleet.runAndRecord("b", number: 1)
    let stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    for (before, isSent) in [(stranger, false), ([], true)] {
      let other = try Command.start(before + ["/usr/bin/python3", "-u", "-c", Self.eavesdropper])
      let port = try other.waitForOutput { $0.firstMatch(of: /([0-9]+)\n/)?.output.1 }
      let result = try Command.run(
        [Toolchain.firstlight, "upload", profile, "--to", "http://127.0.0.1:\(port)"],
        environment: ["XDG_STATE_HOME": listener.state])
      #expect(result.status == 69)
      let heard = try other.wait().output
      #expect(heard.contains("POST /v1/states"))
      #expect(heard.contains("Bearer fl_") == isSent)
    }
    try listener.daemon.stop()
  }

  @Test func aNameThatLooksLikeLoopbackIsAnotherMachines() throws {
    let result = try Command.run(
      [Toolchain.firstlight, "fleet", "builds", "--from", "http://127.evil.example:8123"],
      environment: ["FIRSTLIGHT_TOKEN": "fl_0"])
    #expect(result.status == 64)
    #expect(result.errors.contains("would send the token unencrypted over the network"))
  }

  private static let eavesdropper = """
    import socket
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1])
    peer, _ = server.accept()
    data = b""
    while b"\\r\\n\\r\\n" not in data:
        data += peer.recv(65536)
    print(data.split(b"\\r\\n\\r\\n")[0].decode())
    """

  /// A daemon of this machine sends to another one, whose token is made later.
  @Test func aForwarderFindsTheLocalToken() throws {
    let listener = try Listener()
    try listener.fleet.run("b")
    let sender = try Daemon(
      ["--spool", listener.fleet.spool, "--upstream", listener.url],
      environment: ["XDG_STATE_HOME": listener.state])
    try sender.waits(
      for: "1", from: FleetSQL.processes, in: listener.fleet.store)
    try sender.stop()
    try listener.daemon.stop()
  }

  /// Without a place for a token nobody can send, and everything else goes on.
  @Test func aDaemonWithoutAHomeOnlyAnswers() throws {
    let listener = try Listener(environment: ["XDG_STATE_HOME": "", "HOME": ""])
    try listener.daemon.hasSaid("clients cannot send to this daemon")
    #expect(try listener.status("/v1/builds") == "200")
    #expect(try listener.status("/v1/symbols", ["-d", "x"]) == "403")
    try listener.daemon.stop()
  }

  /// The profile that `GET /v1/profile` makes needs no place to write to.
  @Test func askingWritesNothing() throws {
    let temporary = try TemporaryDirectory()
    let listener = try Listener(environment: ["TMPDIR": temporary.url.path])
    let profile = try listener.fleet.runAndRecord("b", number: 1)
    let environment = ["XDG_STATE_HOME": listener.state]
    let program = listener.fleet.program.executable
    for arguments in [["upload", profile], ["upload-symbols", program]] {
      try Command.check(
        [Toolchain.firstlight] + arguments + ["--to", listener.url], environment: environment)
    }
    try FileManager.default.removeItem(at: temporary.url)
    let dead = try Command.check(
      [Toolchain.firstlight, "fleet", "dead", "--from", listener.url], environment: environment)
    #expect(dead.contains("never"))
    try listener.daemon.stop()
  }
}
