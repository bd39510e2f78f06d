import Foundation
import TestSupport
import Testing

/// Clocks that are wrong for a while: nothing is closed, what waits is not given up.
@Suite(.serialized) struct FleetClockTests {
  @Test(arguments: ["+400d", "-9000d"])
  func aWrongClockForADayClosesNothing(offset: String) throws {
    let fleet = try FleetFixture()
    let store = ["--store", "sqlite:\(fleet.store)"]
    func send(_ number: String, at offset: String) throws -> String {
      let listener = try Listener(fleet, store, environment: try WrongClock.environment(offset))
      let script = try HostileScript.start(
        "post", [listener.url, listener.token, "4", number],
        environment: ["STARTED": "\(Date().timeIntervalSince1970)"])
      let answer = try script.wait().output
      try listener.daemon.stop()
      return answer
    }
    // Two days that agree, and one that does not: to a clock that is behind, today has not begun.
    #expect(try send("1", at: "-1d").contains(#""added":1"#))
    #expect(try send("2", at: "+0").contains(#""added":1"#))
    let isBehind = offset.hasPrefix("-")
    #expect(try send("3", at: offset).contains(isBehind ? #""kind":"early""# : #""added":1"#))
    for number in ["1", "2"] {
      #expect(try send(number, at: "+0").contains(#""known":1"#))
    }
    #expect(try send("3", at: "+0").contains(isBehind ? #""added":1"# : #""known":1"#))
    #expect(try Command.check(["sqlite3", fleet.store, FleetSQL.processes]) == "3\n")
    #expect(try send("4", at: "+0").contains(#""added":1"#))
  }

  @Test func aWrongClockGivesNothingUp() throws {
    let fleet = try FleetFixture()
    let receiver = FleetFixture(
      copying: fleet, spool: fleet.spool, store: fleet.program.directory.path("upstream.sqlite"))
    let ledger = fleet.spool + "/.firstlightd/ledger.sqlite"
    func sender(_ upstream: String, at offset: String) throws -> Daemon {
      try Daemon(
        ["--spool", fleet.spool, "--upstream", upstream],
        environment: try WrongClock.environment(offset))
    }
    try fleet.run("b")
    for offset in ["+0", "+10d", "-20d", "+400d"] {
      // Nobody listens on port 9.
      let daemon = try sender("http://127.0.0.1:9", at: offset)
      try daemon.hasSaid("cannot deliver")
      try daemon.waits(for: "1", from: FleetSQL.waiting, in: ledger)
      try daemon.stop()
    }
    let listener = try Listener(receiver, ["--store", "sqlite:\(receiver.store)"])
    let token = try receiver.program.directory.write(listener.token, to: "token")
    let config = try fleet.program.directory.write("upstream-token-file = \(token)\n", to: "host")
    let daemon = try Daemon([
      "--config", config, "--spool", fleet.spool, "--upstream", listener.url,
    ])
    try daemon.waits(for: "1", from: FleetSQL.processes, in: receiver.store)
    try daemon.stop()
    try listener.daemon.stop()
  }
}
