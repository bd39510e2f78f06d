import Foundation
import TestSupport
import Testing

/// What a host sends on: sums, and nothing that is its own business.
@Suite(.serialized) struct FleetForwardingTests {
  private func ledger(_ fleet: FleetFixture) -> String {
    fleet.spool + "/.firstlightd/ledger.sqlite"
  }

  /// What a body says, as another program inflates it.
  private func inflated(_ file: String) throws -> String {
    try Command.check([
      "python3", "-c",
      """
      import sys, zlib
      data = zlib.decompress(open(sys.argv[1], "rb").read())
      print(bytes(b if 32 <= b < 127 else 46 for b in data).decode())
      """, file,
    ])
  }

  @Test func rowsTravelWithoutPaths() throws {
    let fleet = try FleetFixture()
    for what in ["b", "fd", "d"] { try fleet.run(what) }
    let upstream = try StandInUpstream("busy")
    let daemon = try Daemon(["--spool", fleet.spool, "--upstream", upstream.url])
    let text = try inflated(try upstream.body(0))
    try daemon.stop()
    #expect(text.hasPrefix("FLS3"))
    #expect(text.contains("program"))
    #expect(!text.contains(fleet.program.directory.url.lastPathComponent))
    try upstream.stop()
  }

  /// A host that sent on, and now has a store of its own.
  @Test func whatWaitedForAnUpstreamIsCountedByAStore() throws {
    let fleet = try FleetFixture()
    for what in ["b", "fd"] { try fleet.run(what) }
    let away = try Daemon(["--spool", fleet.spool, "--upstream", "http://127.0.0.1:1"])
    try away.hasSaid("cannot deliver")
    try away.stop()
    let daemon = try Daemon(fleet.arguments)
    try daemon.waits(for: "3", from: FleetSQL.processes, in: fleet.store)
    try daemon.waits(for: "0", from: FleetSQL.waiting, in: ledger(fleet))
    try daemon.stop()
  }

  /// Another program holds the store's lock, so the daemon has the rows in hand when it is killed.
  @Test func aDaemonThatIsKilledTwiceWhileItWritesWritesAfterwards() throws {
    let fleet = try FleetFixture()
    for _ in 0..<2 {
      let daemon = try Daemon(fleet.arguments)
      try daemon.hasSaid("started")
      let lock = try Command.start([
        "python3", "-uc",
        """
        import signal, sqlite3, sys
        sqlite3.connect(sys.argv[1], isolation_level=None).execute("BEGIN IMMEDIATE")
        print("locked")
        signal.pause()
        """, fleet.store,
      ])
      try lock.waitForOutput { $0.contains("locked") ? true : nil }
      try fleet.run("b")
      try daemon.hasTaken(1)
      try daemon.kill()
      lock.send(SIGKILL)
      _ = try lock.wait()
    }
    let daemon = try Daemon(fleet.arguments)
    try daemon.waits(for: "2", from: FleetSQL.processes, in: fleet.store)
    try daemon.stop()
  }

  /// A store that lost its disk is filled again by its hosts.
  @Test func anEmptyStoreIsFilledAgain() throws {
    let fleet = try FleetFixture()
    for what in ["b", "fd"] { try fleet.run(what) }
    let before = try Daemon(fleet.arguments)
    try before.waits(for: "3", from: FleetSQL.processes, in: fleet.store)
    try before.hasSaid("functions named")
    let counts = try fleet.counts()
    try before.stop()
    try Command.check(["sh", "-c", "rm $0*", fleet.store])
    let after = try Daemon(fleet.arguments)
    try after.waits(for: "3", from: FleetSQL.processes, in: fleet.store)
    try after.hasSaid("functions named")
    #expect(try fleet.counts() == counts)
    try after.stop()
  }

  /// A ledger that was put back from a backup takes nothing away from what it sent since.
  @Test func anOldCopyOfALedgerAddsToWhatIsThere() throws {
    let fleet = try FleetFixture()
    func run(_ what: String, _ total: String) throws -> Daemon {
      try fleet.run(what)
      let daemon = try Daemon(fleet.arguments)
      try daemon.waits(for: total, from: FleetSQL.processes, in: fleet.store)
      return daemon
    }
    try run("b", "1").stop()
    try Command.check(["cp", ledger(fleet), ledger(fleet) + ".copy"])
    try run("b", "2").stop()
    try run("d", "3").stop()
    try Command.check([
      "sh", "-c", "rm -f $0 $0-wal $0-shm && mv $0.copy $0", ledger(fleet),
    ])
    let daemon = try Daemon(fleet.arguments)
    try fleet.run("d")
    try daemon.waits(for: "4", from: FleetSQL.processes, in: fleet.store)
    try daemon.stop()
    #expect(try fleet.counts().contains("b 2\nd 2\n"))
  }

  /// Machines from one image: the ledger has sent some, and some waits.
  @Test func copiesOfOneLedgerCountSideBySide() throws {
    let fleet = try FleetFixture()
    let away = ["--spool", fleet.spool, "--upstream", "http://127.0.0.1:1"]
    func host(_ spool: String, _ what: String?, _ arguments: [String]) throws {
      if let what { try fleet.run(what, in: spool) }
      let daemon = try Daemon(arguments)
      try daemon.hasTaken(what == nil ? 0 : 1)
      try daemon.hasSaid(arguments == away ? "cannot deliver" : "started")
      try daemon.stop()
    }
    try host(fleet.spool, "b", fleet.arguments)
    // A daemon that is stopped so early may not have read names.
    let named = try Daemon(fleet.arguments)
    try named.waits(for: "1", from: "SELECT count(*) > 0 FROM function_table", in: fleet.store)
    try named.stop()
    try host(fleet.spool, "d", away)
    let copies = (1...2).map { fleet.program.directory.path("host-\($0)") }
    for copy in copies { try Command.check(["cp", "-a", fleet.spool, copy]) }
    for (copy, what) in zip(copies + copies, ["b", "d", "b", "b"]) {
      try host(copy, what, ["--spool", copy, "--store", "sqlite:\(fleet.store)"])
    }
    #expect(try Command.check(["sqlite3", fleet.store, FleetSQL.processes]) == "6\n")
    let counts = try fleet.counts()
    #expect(counts.contains("b 4\nd 2\n"), "\(counts)")
  }
}
