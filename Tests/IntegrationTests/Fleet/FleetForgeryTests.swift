import Foundation
import TestSupport
import Testing

/// Reports that somebody made up.
@Suite(.serialized) struct FleetForgeryTests {
  /// Who comes first with a wrong number of guards keeps nobody out.
  @Test func aForgedReportKeepsNobodyOut() throws {
    let fleet = try FleetFixture()
    let listener = try Listener(fleet, ["--store", "sqlite:\(fleet.store)"])
    func send(_ guards: String, _ numbers: String...) throws -> String {
      let script = try HostileScript.start(
        "post", [listener.url, listener.token, guards] + numbers)
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
    // An administrator takes it out, and is heard to.
    let forget = [
      Toolchain.firstlight, "fleet", "forget", "--from", "sqlite:\(fleet.store)", "--build-id",
      "abab",
    ]
    #expect(try Command.check(forget + ["--dry-run"]).hasPrefix("would forget server, build id ab"))
    #expect(try guards() == "(4, 2)\n")
    #expect(try Command.check(forget).hasPrefix("forgot server, build id ab"))
    #expect(try guards() == "\n")
    #expect(try Command.run(forget).status == 66)
    #expect(
      try Command.check(["sqlite3", fleet.store, "SELECT what FROM audit"])
        == "forgot build \(String(repeating: "ab", count: 20)) (guards)\n")
    // What was there before is not counted again, what is new is.
    #expect(try send("4", "1", "3").contains(#""added":1"#))
    #expect(try guards() == "(4, 1)\n")
    try listener.daemon.stop()
  }
}
