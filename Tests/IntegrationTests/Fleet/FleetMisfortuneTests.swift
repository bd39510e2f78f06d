import Foundation
import TestSupport
import Testing

/// What happens to a daemon that is nobody's attack: a port that is taken, a program it cannot see, a proxy
/// that answers for its upstream, a disk that loses a page.
@Suite(.serialized, .tags(.compiler)) struct FleetMisfortuneTests {
  @Test func aPortThatIsTakenEndsItBeforeAnythingIsMoved() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let files = try fleet.leftInSpool
    let taker = try Command.start([
      "python3", "-u", "-c",
      """
      import socket, time
      s = socket.create_server(("127.0.0.1", 0))
      print(s.getsockname()[1])
      time.sleep(1000)
      """,
    ])
    defer { taker.send(SIGKILL) }
    let port: Int = try taker.waitForOutput { $0.split(separator: "\n").first.flatMap { Int($0) } }
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:\(port)",
    ])
    try daemon.command.waitForEnd()
    let result = try daemon.command.wait()
    #expect(result.status == 69 && !result.signalled)
    #expect(
      result.output == """
        firstlightd: error: 127.0.0.1:\(port): already in use by another program; stop that program, or \
        choose another port with --listen

        """)
    #expect(try fleet.leftInSpool.sorted() == files.sorted())
    #expect(!FileManager.default.fileExists(atPath: fleet.spool + "/.firstlightd"))
  }

  /// One of them has the address from its start to its end, and the other one touches nothing.
  @Test func ofTwoDaemonsOnOnePortOneServes() throws {
    let fleet = try FleetFixture()
    let port = try Command.check([
      "python3", "-c",
      "import socket; print(socket.create_server(('127.0.0.1', 0)).getsockname()[1])",
    ]).trimmingCharacters(in: .newlines)
    for round in 0..<2 {
      let stores = (0..<2).map { fleet.program.directory.path("\(round)-\($0).sqlite") }
      let daemons = try stores.map {
        try Daemon(["--store", "sqlite:\($0)", "--listen", "127.0.0.1:\(port)"])
      }
      let served = try daemons.map { daemon in
        try daemon.command.waitForOutput { output in
          output.contains("[Collector] listening")
            ? true : output.contains("already in use by another program") ? false : nil
        }
      }
      #expect(served.count { $0 } == 1)
      for (place, daemon) in daemons.enumerated() {
        #expect(FileManager.default.fileExists(atPath: stores[place]) == served[place])
        if served[place] {
          try daemon.stop()
        } else {
          #expect(try daemon.command.wait().status == 69)
        }
      }
    }
  }

  /// A service that ends by itself takes the others with it, in order.
  @Test func aServiceThatFailsEndsTheDaemonWithTheReason() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--socket",
      fleet.program.directory.path("no/such/folder/socket"),
    ])
    try daemon.command.waitForEnd()
    let result = try daemon.command.wait()
    #expect(result.status == 73 && !result.signalled, "\(result.output)")
    #expect(result.output.contains("firstlightd: error: "))
    #expect(result.output.contains("no/such/folder/socket"))
  }

  @Test func aRequestThatNeverEndsDoesNotKeepItFromEnding() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let client = try Command.start([
      "python3", "-u", "-c",
      """
      import socket, sys, time
      s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      s.sendall(b"POST /v1/states HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: 1000\\r\\n"
        b"Content-Type: application/vnd.firstlight.states\\r\\nExpect: 100-continue\\r\\n\\r\\nFLS3")
      print("sent")
      while True:
          time.sleep(0.1)
          s.sendall(b"x")
      """, "\(try daemon.port())",
    ])
    defer { client.send(SIGKILL) }
    try client.waitForOutput { $0.contains("sent") ? true : nil }
    let start = ContinuousClock.now
    try daemon.stop()
    // Its promise is a second; its idle connections are given a minute.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  static let canMakePIDNamespaces =
    (try? Command.run(["unshare", "-pf", "--mount-proc", "true"]))?.status == 0

  /// A program that waits until its standard input ends, then calls `late`.
  private static func waiting() throws -> Fixture {
    try Fixture.c(
      """
      #include <unistd.h>
      #define F(name) __attribute__((noinline)) int name(int x) { return x + __LINE__; }
      F(early)
      F(late)
      int main(int n, char **v) {
        volatile int s = early(n);
        char c;
        write(1, "runs\\n", 5);
        while (read(0, &c, 1) > 0) {}
        s = late(s);
        return 0;
      }
      """)
  }

  /// Daemon and program in sibling pid namespaces, as in two containers that share a spool; or the program
  /// in a time namespace, whose clocks and start times are others.
  @Test(
    .enabled(if: canMakePIDNamespaces, "makes namespaces, so needs root"),
    arguments: [
      ["unshare", "-pf", "--mount-proc", "--kill-child"],
      ["unshare", "--time", "--fork", "--monotonic", "864000", "--boottime", "864000"],
    ])
  func aProgramThatCannotBeSeenIsLeftAloneWhileItRuns(namespace: [String]) throws {
    let fleet = try FleetFixture()
    let program = try Self.waiting()
    let pipe = fleet.program.directory.path("pipe")
    try Command.check(["mkfifo", pipe])
    let runner = try Command.start(
      namespace + ["sh", "-c", "exec \"$0\" < \"$1\"", program.executable, pipe],
      environment: ["FIRSTLIGHT_DIR": fleet.spool])
    let writer = try #require(FileHandle(forWritingAtPath: pipe))
    try runner.waitForOutput { $0.contains("runs") ? true : nil }
    let daemon = try Daemon(
      ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"],
      before: ["unshare", "-pf", "--mount-proc", "--kill-child"])
    // A pass was made when another program, which has ended, was taken in.
    try fleet.run("b")
    try daemon.hasTaken(1)
    try writer.close()
    #expect(try runner.wait().status == 0)
    try daemon.hasTaken(2)
    try daemon.hasSaid("functions named")
    try daemon.command.wait {
      let counts = try fleet.counts()
      return counts.contains("early 1\n") && counts.contains("late 1\n")
    }
    // unshare(1) passes no signal on.
    try daemon.kill()
  }

  /// What a proxy says, or another server in the upstream's place, is no word on any row.
  @Test func answersOfOthersKeepRowsWaiting() throws {
    let fleet = try FleetFixture()
    let receiver = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let proxy = try Command.start([
      "python3", "-u", "-c", Self.proxy, "\(try receiver.port())",
    ])
    defer { proxy.send(SIGKILL) }
    let port: Int = try proxy.waitForOutput { $0.split(separator: "\n").first.flatMap { Int($0) } }
    try fleet.run("b")
    let sender = try Daemon(["--spool", fleet.spool, "--upstream", "http://127.0.0.1:\(port)"])
    try proxy.waitForOutput { $0.contains("passed on") ? true : nil }
    try sender.waits(
      for: "0", from: FleetSQL.waiting,
      in: fleet.spool + "/.firstlightd/ledger.sqlite")
    try sender.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    let aside = try FileManager.default.contentsOfDirectory(
      atPath: fleet.spool + "/.firstlightd/quarantine")
    #expect(aside.isEmpty)
    try sender.stop()
    try receiver.stop()
  }

  private static let proxy = """
    import http.client, socket, sys
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1])
    answers = [b"302 Found\\r\\nLocation: http://127.0.0.1:1/", b"404 Not Found", b"413 Too Large",
      b"421 Misdirected", b"422 Unprocessable\\r\\nContent-Type: application/problem+json"]
    while True:
        peer, _ = server.accept()
        data = b""
        while b"\\r\\n\\r\\n" not in data:
            data += peer.recv(65536)
        path = data.split(b" ")[1].decode()
        head, rest = data.split(b"\\r\\n\\r\\n", 1)
        fields = dict((n.lower(), v) for n, v in (l.split(b": ", 1) for l in head.split(b"\\r\\n")[1:]))
        while len(rest) < int(fields[b"content-length"]):
            rest += peer.recv(65536)
        if answers:
            text = b'{"title": "no", "status": 422, "type": "about:blank"}'
            status = answers.pop(0)
        else:
            up = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
            names = [n for n in ["authorization", "content-encoding", "content-type", "firstlight-batch"] if n.encode() in fields]
            up.request("POST", path, rest, {n: fields[n.encode()].decode() for n in names})
            text = up.getresponse().read()
            status = b"200 OK"
            print("passed on")
        peer.sendall(b"HTTP/1.1 %s\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n" % (status, len(text)) + text)
        peer.close()
    """

  @Test func aDamagedStoreIsUnavailableAndLosesNothing() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let before = try Daemon(["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"])
    try before.hasTaken(1)
    try before.hasSaid("functions named")
    try before.stop()
    let page = try #require(
      Int(
        try Command.check([
          "sqlite3", fleet.store,
          "PRAGMA wal_checkpoint(TRUNCATE); SELECT rootpage FROM sqlite_schema WHERE name = 'state'",
        ]).split(separator: "\n").last ?? ""))
    let store = try #require(FileHandle(forUpdatingAtPath: fleet.store))
    try store.seek(toOffset: UInt64(page - 1) * 4096)
    try store.write(contentsOf: Data(repeating: 0xff, count: 4096))
    try store.close()

    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try fleet.run("fd")
    try daemon.hasTaken(2)
    try daemon.hasSaid("cannot deliver")
    let ready = try Command.run([
      "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "\(url)/readyz",
    ])
    #expect(ready.output == "503")
    try daemon.stop()
    let ledger = fleet.spool + "/.firstlightd/ledger.sqlite"
    #expect(try Command.check(["sqlite3", ledger, FleetSQL.waiting]) == "1\n")
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: fleet.spool + "/.firstlightd/quarantine"
      ).isEmpty)
  }

  static let isRoot = getuid() == 0

  @Test(.enabled(if: isRoot, "makes folders of another user, so needs root"))
  func aFolderThatAnotherUserMadeIsNotUsed() throws {
    let fleet = try FleetFixture()
    let own = fleet.spool + "/.firstlightd"
    func start() throws -> CommandResult {
      try Command.run([
        Daemon.path, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)",
      ])
    }
    try Command.check(["sh", "-c", "mkdir \(own) && chown 1234 \(own)"])
    let foreign = try start()
    #expect(foreign.status == 73)
    #expect(foreign.errors.contains("\(own): belongs to user 1234"))
    let target = fleet.program.directory.path("target")
    try Command.check(["sh", "-c", "rmdir \(own) && mkdir \(target) && ln -s \(target) \(own)"])
    let link = try start()
    #expect(link.status == 73)
    #expect(link.errors.contains("\(own): not a directory"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
    try Command.check(["sh", "-c", "rm \(own) && chmod 777 \(fleet.spool)"])
    let open = try start()
    #expect(open.status == 73)
    #expect(open.errors.contains("chmod 1733 \(fleet.spool)"))
  }
}
