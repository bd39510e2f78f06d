import Foundation
import TestSupport
import Testing

/// Connections that cost a firstlightd something and never bring anything.
@Suite(.serialized) struct FleetConnectionTests {
  /// Starts a client that tells by its output how far it is. `asked()` is a connection that was asked for a body.
  private func client(_ script: String, _ daemon: Daemon) throws -> RunningCommand {
    let token = TemporaryDirectory.state + "/firstlight/local-token"
    return try Command.start([
      "python3", "-u", "-c",
      """
      import os, signal, socket, sys
      address = ("127.0.0.1", int(sys.argv[1]))
      token = open(sys.argv[2]).read().strip() if os.path.exists(sys.argv[2]) else ""
      head = (f"POST /v1/states HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer {token}\\r\\n"
              "Content-Type: application/vnd.firstlight.states\\r\\nContent-Length: 1000000\\r\\n\\r\\n").encode()
      def connection(data=b""):
          s = socket.create_connection(address)
          s.settimeout(120)
          s.sendall(data)
          return s
      def asked():
          s = connection(head[:-2] + b"Expect: 100-continue\\r\\n\\r\\n")
          assert s.recv(1000) == b"HTTP/1.1 100 Continue\\r\\n\\r\\n"
          return s
      \(script)
      """, "\(try daemon.port())", token,
    ])
  }

  private func answers(_ daemon: Daemon) throws -> String {
    try Command.run([
      "curl", "-s", "--max-time", "30", "http://127.0.0.1:\(try daemon.port())/healthz",
    ]).output
  }

  /// More connections than the process may have descriptors.
  @Test func idleConnectionsDoNotStopTheIntake() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(
      ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"],
      before: ["sh", "-c", "ulimit -n 200 && exec \"$@\"", "sh"])
    let idle = try client(
      """
      all = [connection() for _ in range(250)]
      print("open")
      signal.pause()
      """, daemon)
    try idle.waitForOutput { $0.contains("open") ? true : nil }
    #expect(try answers(daemon) == "ok\n")
    try fleet.run("b")
    try daemon.hasTaken(1)
    #expect(!daemon.command.output.contains("cannot collect"))
    #expect(daemon.command.output.contains("connections=100 descriptors=200"))
    idle.send(SIGKILL)
    _ = try idle.wait()
    try daemon.stop()
  }

  @Test func theLimitOfDescriptorsIsRaised() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(
      ["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"],
      before: ["sh", "-c", "ulimit -Sn 300 && ulimit -Hn 4000 && exec \"$@\"", "sh"])
    _ = try daemon.port()
    let limits = try String(
      contentsOfFile: "/proc/\(daemon.command.process.processIdentifier)/limits", encoding: .utf8)
    #expect(limits.contains(/Max open files +4000 +4000/))
    #expect(!daemon.command.output.contains("fewer connections"))
    try daemon.stop()
  }

  /// As many heads that never end as there may be connections.
  @Test func slowHeadsDoNotBlockOtherClients() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write("connections = 32\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let slow = try client(
      """
      all = [connection(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n") for _ in range(64)]
      print("open")
      signal.pause()
      """, daemon)
    try slow.waitForOutput { $0.contains("open") ? true : nil }
    for _ in 0..<3 { #expect(try answers(daemon) == "ok\n") }
    slow.send(SIGKILL)
    _ = try slow.wait()
    try daemon.stop()
  }

  /// As many answers that nobody takes in as there may be connections, again and again.
  @Test func answersThatNobodyTakesDoNotBlockOtherClients() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write(
      "connections = 8\npeer-connections = 8\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let deaf = try client(
      """
      def deaf():
          s = socket.socket()
          s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
          s.connect(address)
          s.setblocking(False)
          try:
              for _ in range(1000): s.sendall(b"GET /v1/openapi.json HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" * 10)
          except OSError: pass
          # It is being answered, so it does not make room for the next one as if it only waited.
          s.setblocking(True)
          try: s.recv(1)
          except OSError: pass
          return s
      kept = []
      for _ in range(4):
          kept += [deaf() for _ in range(8)]
          print(connection(b"GET /healthz HTTP/1.0\\r\\n\\r\\n").recv(12))
      """, daemon)
    let result = try deaf.wait()
    let answers = result.output.matches(of: /b'HTTP\/1.. 200'/)
    #expect(answers.count == 4, "\(result.output)\(result.errors)")
    try daemon.stop()
  }

  /// All connections are worked on when one more comes. The first that is done makes room for it.
  @Test func aFinishedRequestMakesRoomForWhoCameLate() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write(
      "connections = 2\npeer-connections = 2\nidle-timeout = 3600\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let busy = try client(
      """
      all = [asked() for _ in range(2)]
      late = connection(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
      all[0].sendall(bytes(1000000))
      late.settimeout(30)
      print("done", all[0].recv(12), "late", late.recv(12))
      """, daemon)
    let result = try busy.wait()
    #expect(result.output == "done b'HTTP/1.1 422' late b'HTTP/1.1 200'\n", "\(result.errors)")
    try daemon.stop()
  }

  /// Who must not send is not asked to, and a body that makes no sense ends the connection with an answer.
  @Test func bodiesAreAskedForAndChecked() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let sender = try client(
      """
      expect = b"Expect: 100-continue\\r\\n\\r\\n"
      print(connection(head.replace(b"Bearer ", b"Bearer x")[:-2] + expect).recv(12))
      print(connection(head.replace(b"1000000", b"1000000000")[:-2] + expect).recv(12))
      s = asked()
      s.sendall(bytes(1000000))
      print(s.recv(12))
      chunked = head.replace(b"Content-Length: 1000000", b"Transfer-Encoding: chunked")
      s = connection(chunked + b"zz\\r\\n")
      answer = b""
      while part := s.recv(65536): answer += part
      print(answer[:12], b"onnection: close" in answer)
      """, daemon)
    let result = try sender.wait()
    #expect(
      result.output == """
        b'HTTP/1.1 401'
        b'HTTP/1.1 413'
        b'HTTP/1.1 422'
        b'HTTP/1.1 400' True

        """, "\(result.errors)")
    #expect(!daemon.command.output.contains("request failed"))
    try daemon.stop()
  }

  /// What is being taken is not cut off for others, and one peer has its share and no more.
  @Test func onePeerHasItsShare() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write("peer-connections = 4\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let busy = try client(
      """
      all = [asked() for _ in range(4)]
      print("fifth", connection().recv(1))
      for s in all: s.sendall(bytes(1000000))
      print([s.recv(12) for s in all])
      """, daemon)
    let result = try busy.wait()
    #expect(result.output.contains("fifth b''"), "\(result.errors)")
    #expect(result.output.matches(of: /b'HTTP\/1.1 422'/).count == 4, "\(result.output)")
    try daemon.stop()
  }

  @Test(arguments: [
    "connection(b'GET / HTTP/1.1\\r\\n')", "connection()", "connection(head)",
    "connection(head + b'FL')",
    "connection(b'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')",
  ])
  func stalledClientsAreDisconnected(client words: String) throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write(
      "head-timeout = 1\nbody-timeout = 1\nidle-timeout = 1\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let stuck = try client(
      """
      s = \(words)
      while s.recv(65536): pass
      print("closed")
      """, daemon)
    #expect(try stuck.wait().output == "closed\n")
    try daemon.stop()
  }

  /// A byte now and then is too little.
  @Test func slowSendersAreDisconnected() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write("body-timeout = 1\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let slow = try client(
      """
      s = connection(head)
      s.settimeout(0.1)
      for _ in range(600):
          try:
              s.sendall(b"F")
              if s.recv(1) == b"": print("closed"); break
          except TimeoutError: pass
          except OSError: print("closed"); break
      """, daemon)
    #expect(try slow.wait().output == "closed\n")
    let metrics = try Command.check([
      "curl", "-s", "http://127.0.0.1:\(try daemon.port())/metrics",
    ])
    #expect(metrics.contains("firstlightd_slow_connections_total 1\n"))
    try daemon.stop()
  }
}
