import Foundation
import TestSupport
import Testing

/// The files that firstlightd keeps: whose they are, and what it does with those it cannot use.
@Suite(.serialized) struct FleetFileTests {
  private func ledger(_ fleet: FleetFixture) -> String {
    fleet.spool + "/.firstlightd/ledger.sqlite"
  }

  private func run(_ fleet: FleetFixture, _ body: (Daemon) throws -> Void) throws {
    let daemon = try Daemon(["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"])
    try body(daemon)
    try daemon.hasSaid("[Collector] started")
    try daemon.stop()
  }

  @Test func nobodyElseReadsTheStore() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    try run(fleet) { daemon in
      try daemon.hasTaken(1)
      for path in [fleet.store, fleet.store + "-wal", ledger(fleet)] {
        #expect(try Command.check(["stat", "-c", "%a", path]) == "600\n", "\(path)")
      }
    }
  }

  @Test func whatAnotherVersionMadeIsLeftAlone() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    try run(fleet) { try $0.hasTaken(1) }
    for (database, noun) in [(fleet.store, "store"), (ledger(fleet), "ledger")] {
      let version = try Command.check(["sqlite3", database, "PRAGMA user_version"])
      try Command.check(["sqlite3", database, "PRAGMA user_version = 99"])
      let before = try Command.check(["sqlite3", database, ".dump"])
      // One that takes it would run on.
      let result = try Command.run([
        "timeout", "60", Daemon.path, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)",
      ])
      #expect(result.status == 65)
      #expect(result.errors.contains("\(database): \(noun) format 99; this firstlightd reads"))
      #expect(try Command.check(["sqlite3", database, ".dump"]) == before)
      if noun == "store" {
        let ask = try Command.run([
          Toolchain.firstlight, "fleet", "builds", "--from", "sqlite:\(database)",
        ])
        #expect(ask.status == 65)
        #expect(ask.errors.contains("store format 99"))
      }
      try Command.check(["sqlite3", database, "PRAGMA user_version = \(version)"])
    }
    try run(fleet) { _ in }
  }

  @Test(arguments: [0, 4096])
  func aDamagedLedgerIsPutAside(firstDamaged: Int) throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    // Delivered too: what a damaged ledger still held is lost.
    try run(fleet) { daemon in
      try daemon.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    }
    let file = ledger(fleet)
    // A daemon that was in a hurry leaves a log from which SQLite would mend the file.
    try Command.check(["sqlite3", file, "PRAGMA wal_checkpoint(TRUNCATE)"])
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes.replaceSubrange(
      firstDamaged..., with: Data(repeating: 0xa5, count: bytes.count - firstDamaged))
    try bytes.write(to: URL(filePath: file))
    try fleet.run("d")
    try run(fleet) { daemon in
      try daemon.hasSaid("ledger damaged")
      try daemon.hasTaken(1)
      try daemon.waits(
        for: "2", from: FleetSQL.processes, in: fleet.store)
      try daemon.waits(for: "1", from: "SELECT count(*) > 0 FROM function_table", in: fleet.store)
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: fleet.spool + "/.firstlightd")
      .filter { $0.contains(".damaged-") }
    #expect(kept.count == 1)
    let aside = try Data(contentsOf: URL(filePath: "\(fleet.spool)/.firstlightd/\(kept[0])"))
    #expect(aside.range(of: Data(repeating: 0xa5, count: 4096)) != nil)
    #expect(try fleet.counts() == "a 2\nb 1\nd 1\nmain 2\n")
  }

  @Test func aPasswordIsNeitherShownNorSentInTheClear() throws {
    let files = try TemporaryDirectory()
    let config = try files.write("store = clickhouse:http://me:secret@db.example\n", to: "config")
    let listen = ["--listen", "127.0.0.1:0"]
    for (arguments, words) in [
      (
        [Daemon.path, "--store", "clickhouse:http://me:secret@127.0.0.1:1"] + listen,
        "a password on the command line is visible to all users"
      ),
      (
        [
          Toolchain.firstlight, "fleet", "builds", "--from",
          "clickhouse:https://me:secret@db.example",
        ],
        "a password on the command line is visible to all users"
      ),
      (
        [Daemon.path, "--config", config] + listen,
        "db.example:8123: the password would be sent unencrypted over the network"
      ),
    ] {
      let result = try Command.run(arguments)
      #expect(result.status == 64, "\(arguments)")
      #expect(result.errors.contains(words))
      #expect(!result.errors.contains("secret"))
    }
    let given = try Command.run(
      [Toolchain.firstlight, "fleet", "builds", "--from", "clickhouse:http://me@db.example"],
      environment: ["FIRSTLIGHT_CLICKHOUSE_PASSWORD": "secret"])
    #expect(given.status == 64)
    #expect(given.errors.contains("unencrypted over the network"))
  }

  @Test func aSpoolMayBeNamedFromWhereOneIs() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let daemon = try Daemon(
      ["--spool", "spool", "--store", "sqlite:\(fleet.store)"],
      before: ["sh", "-c", "cd \"$0\" && exec \"$@\"", fleet.program.directory.url.path])
    try daemon.hasTaken(1)
    try daemon.hasSaid("spool=\(fleet.spool) ")
    try daemon.stop()
  }

  @Test func tokensMayBeNamedOnTheCommandLine() throws {
    let fleet = try FleetFixture()
    let tokens = fleet.program.directory.path("tokens")
    let token = try Command.check([Daemon.path, "token", "add", "--role", "read", "--file", tokens])
      .trimmingCharacters(in: .newlines)
    let daemon = try Daemon([
      "--token-file", tokens, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    for (token, status) in [("", Int32(69)), (token, 0)] {
      let result = try Command.run(
        [Toolchain.firstlight, "fleet", "builds", "--from", url],
        environment: ["FIRSTLIGHT_TOKEN": token])
      #expect(result.status == status)
    }
    try daemon.stop()
  }
}
