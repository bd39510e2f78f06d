import Foundation
import TestSupport
import Testing

/// What a host sends on: the bytes that it keeps meanwhile, and nothing that is its own business.
@Suite(.serialized) struct FleetForwardingTests {
  private func ledger(_ fleet: FleetFixture) -> String {
    fleet.spool + "/.firstlightd/ledger.sqlite"
  }

  /// The batch that waits longest, as a file.
  private func waiting(_ fleet: FleetFixture) throws -> String {
    let file = fleet.program.directory.path("waiting")
    try Command.check([
      "sqlite3", ledger(fleet),
      "SELECT writefile('\(file)', batch) FROM outbox ORDER BY id LIMIT 1",
    ])
    return file
  }

  private func digest(_ file: String) throws -> Substring {
    try Command.check(["sha256sum", file]).prefix(64)
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

  @Test func aBatchTravelsAsItWaits() throws {
    let fleet = try FleetFixture()
    for what in ["b", "fd", "d"] { try fleet.run(what) }
    let upstream = try StandInUpstream("busy")
    let daemon = try Daemon(["--spool", fleet.spool, "--upstream", upstream.url])
    let first = try digest(try upstream.body(0))
    let again = try upstream.body(1)
    try daemon.stop()
    let kept = try waiting(fleet)
    #expect(try digest(kept) == first)
    #expect(try digest(again) == first)
    let text = try inflated(kept)
    #expect(text.hasPrefix("FLB2"))
    #expect(text.contains("program"))
    #expect(!text.contains(fleet.program.directory.url.lastPathComponent))
    try upstream.stop()
  }

  /// A host that had a store of its own, and now sends on.
  @Test func whatWaitedForAStoreTravelsWithoutPaths() throws {
    let fleet = try FleetFixture()
    let upstream = try StandInUpstream("busy")
    func daemon() throws -> Daemon {
      try Daemon(["--spool", fleet.spool, "--upstream", upstream.url])
    }
    let before = try daemon()
    try before.hasSaid("[Collector] started")
    try before.stop()
    try HostileScript.run("wait", ledger(fleet), "/home/somebody/secret/server")
    let after = try daemon()
    let sent = try upstream.body(0)
    try after.stop()
    #expect(try digest(sent) == digest(try waiting(fleet)))
    let text = try inflated(sent)
    #expect(text.contains("server"))
    #expect(!text.contains("secret"))
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
    try daemon.waits(for: "3", from: "SELECT count(*) FROM known_trace", in: fleet.store)
    try daemon.waits(for: "0", from: "SELECT count(*) FROM outbox", in: ledger(fleet))
    try daemon.stop()
  }
}
