import Foundation
import TestSupport
import Testing

/// One question has one answer, whichever front end it is asked of.
@Suite(.serialized, .tags(.compiler)) struct FleetAnswersTests {
  private let fleet: FleetFixture
  private let merged: String
  private let daemon: Daemon
  private let url: String

  init() throws {
    let fleet = try FleetFixture()
    self.fleet = fleet
    let profiles = try ["", "b", "fd"].enumerated().map {
      try fleet.runAndRecord($1, number: $0)
    }
    merged = fleet.program.directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", "-o", merged] + profiles)
    daemon = try Daemon(fleet.arguments + ["--listen", "127.0.0.1:0"])
    url = "http://127.0.0.1:\(try daemon.port())"
    try daemon.hasTaken(4)
    try daemon.hasSaid("functions named")
  }

  /// The answers of the command on a profile, of the command on a fleet, and of the daemon.
  private func answers(
    _ command: String, _ pairs: [(key: String, value: String)]
  ) throws -> [String] {
    let words = pairs.flatMap { ["--\($0.key)"] + ($0.value.isEmpty ? [] : [$0.value]) }
    let form = pairs.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
    return [
      try Command.check([Toolchain.firstlight, command] + words + [merged]),
      try Command.check([Toolchain.firstlight, "fleet", command, "--from", url] + words),
      try Command.check(["curl", "-sfG"] + form + ["\(url)/v1/\(command)"]),
    ]
  }

  /// Rows without what a fleet keeps less exactly: when a function was called.
  private func rows(_ json: String) throws -> NSArray {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let rows = try #require(object?["functions"] as? [[String: Any]])
    return rows.map { row in
      row.filter { !["firstSeen", "lastSeen"].contains($0.key) }
    } as NSArray
  }

  private static let everything: [[(key: String, value: String)]] = [
    [("own", "main.c")], [("own", "main.c"), ("all", "")], [("own", "other.c")],
    [("own", "main.c"), ("module", "prog*"), ("path", "*/main.c")],
    [("own", "main.c"), ("all", ""), ("exclude", "*/nothing.c")],
  ]

  @Test func neverCalledListsAreEqual() throws {
    for pairs in Self.everything {
      let rows = try answers("dead", [("format", "json")] + pairs).map(rows)
      #expect(rows[0].count > 0 && rows[0] == rows[1] && rows[0] == rows[2], "\(pairs): \(rows)")
    }
    try daemon.stop()
  }

  @Test func ordersAreEqual() throws {
    for strategy in ["first-call", "balanced"] {
      for format in ["lld", "proftext"] {
        let orders = try answers(
          "order", [("strategy", strategy), ("format", format), ("image", "prog*")])
        #expect(orders[0].contains("main\n") && Set(orders).count == 1, "\(orders)")
      }
    }
    try daemon.stop()
  }
}
