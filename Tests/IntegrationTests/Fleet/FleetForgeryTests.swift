import Foundation
import TestSupport
import Testing

/// Reports that somebody made up.
@Suite(.serialized) struct FleetForgeryTests {
  /// Who comes first with a wrong number of guards keeps nobody out.
  @Test func aForgedReportKeepsNobodyOut() throws {
    let fleet = try FleetFixture()
    let listener = try Listener(fleet, ["--store", "sqlite:\(fleet.store)"])
    func send(
      _ guards: String, _ names: String..., environment: [String: String] = [:]
    ) throws -> String {
      let script = try HostileScript.start(
        "post", [listener.url, listener.token, guards] + names, environment: environment)
      return try script.wait().output
    }
    func guards() throws -> String {
      try Command.check(
        [
          "python3", "-c",
          """
          import json, sys
          print(*[(b["guards"], b["runs"]) for b in json.load(sys.stdin)["builds"]])
          """,
        ],
        input: Command.check([
          Toolchain.firstlight, "fleet", "builds", "--format", "json", "--from",
          "sqlite:\(fleet.store)",
        ]))
    }
    #expect(try send("5", "forged").contains(#""added":1"#))
    #expect(try guards() == "(5, 1)\n")
    #expect(try send("4", "1", "2").contains(#""added":2"#))
    #expect(try guards() == "(4, 2)\n")
    // Only a sender with the ledger's secret can replace its row.
    #expect(
      try send("4", "forger", environment: ["VERSION": "1000000"]).contains(#""added":1"#))
    let second = ["VERSION": "2", "CALLED": "2"]
    #expect(try send("4", "1", environment: second).contains(#""added":1"#))
    #expect(try send("4", "1", environment: ["VERSION": "1"]).contains(#""known":1"#))
    #expect(try guards() == "(4, 4)\n")
    // An administrator takes it out, and is heard to.
    let forget = [
      Toolchain.firstlight, "fleet", "forget", "--from", "sqlite:\(fleet.store)", "--build-id",
      "abab",
    ]
    #expect(try Command.check(forget + ["--dry-run"]).hasPrefix("would remove server, build id ab"))
    #expect(try guards() == "(4, 4)\n")
    #expect(try Command.check(forget).hasPrefix("removed server, build id ab"))
    #expect(try guards() == "\n")
    #expect(try Command.run(forget).status == 66)
    #expect(
      try Command.check(["sqlite3", fleet.store, "SELECT what FROM audit"])
        == "forgot build \(Self.build) (guards), by user \(NSUserName())\n")
    // What hosts still have does not bring it back; what runs tomorrow counts.
    let refused = try send("4", "1", "3")
    #expect(
      refused.contains(#""added":0"#) && refused.contains("by fleet forget"), "\(refused)")
    #expect(try guards() == "\n")
    let tomorrow = "\(Date().timeIntervalSince1970 + 86400)"
    #expect(try send("4", "1", environment: ["STARTED": tomorrow]).contains(#""added":1"#))
    #expect(try guards() == "(4, 1)\n")
    try listener.daemon.stop()
  }

  private static let build = String(repeating: "ab", count: 20)

  /// Over HTTP, by who may: no producer, no reader, and no one where there are no administrators.
  @Test func onlyAnAdministratorForgetsABuild() throws {
    let fleet = try FleetFixture()
    let listener = try Listener(fleet, ["--store", "sqlite:\(fleet.store)"])
    let resource = "\(listener.url)/v1/builds/\(Self.build)"
    func token(_ role: String) throws -> String {
      try Command.check([
        Daemon.path, "token", "add", "--role", role, "--file",
        fleet.program.directory.path("tokens"),
      ]).trimmingCharacters(in: .newlines)
    }
    func status(_ url: String, _ token: String?, method: String = "DELETE") throws -> String {
      try Command.check(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", method, url]
          + (token.map { ["-H", "Authorization: Bearer \($0)"] } ?? []))
    }
    func forget(_ token: String) throws -> CommandResult {
      try Command.run(
        [
          Toolchain.firstlight, "fleet", "forget", "--from", listener.url, "--build-id", "abab",
        ], environment: ["FIRSTLIGHT_TOKEN": token])
    }
    func builds() throws -> String {
      try Command.check(["sqlite3", fleet.store, "SELECT count(*) FROM build"])
    }
    let sent = try HostileScript.run("post", listener.url, listener.token, "5", "forged")
    #expect(sent.contains(#""added":1"#))
    #expect(try status(resource, nil) == "401")
    #expect(try status(resource, token("upload")) == "403")
    #expect(try status(resource, token("read")) == "403")
    #expect(try status(resource, listener.token, method: "GET") == "405")
    #expect(try status("\(listener.url)/v1/builds/xyz", listener.token) == "400")
    #expect(try status(resource + "?recorder=breakpoints", listener.token) == "404")
    #expect(try status(resource + "?recorder=all", listener.token) == "400")
    let refused = try forget(token("read"))
    #expect(refused.status == 69)
    #expect(refused.errors.contains("the token has the role read, this request requires admin"))
    #expect(try builds() == "1\n")
    let forgot = try forget(listener.token)
    #expect(forgot.output == "removed server, build id \(Self.build): 1 run\n")
    #expect(try builds() == "0\n")
    #expect(try forget(listener.token).status == 66)
    let audit = try Command.check(["sqlite3", fleet.store, "SELECT what FROM audit"])
    #expect(
      audit.contains(/^forgot build [ab]+ \(guards\), by token [0-9a-f]{8} \([0-9A-F-]+\)\n$/),
      "\(audit)")
    try listener.daemon.hasSaid("build removed")
    try listener.daemon.stop()
    // What lets its own user send makes no administrator.
    let local = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try local.port())/v1/builds/\(Self.build)"
    // The file of the token is there once the daemon listens.
    let own = try Daemon.mayPost("text/plain")[1].replacing("Authorization: Bearer ", with: "")
    #expect(try status(url, own) == "403")
    try local.stop()
  }
}
