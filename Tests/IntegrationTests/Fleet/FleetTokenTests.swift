import Foundation
import TestSupport
import Testing

/// A token file that changes under a firstlightd.
@Suite(.serialized) struct FleetTokenTests {
  private struct Fleet {
    let fixture: FleetFixture
    let tokens: String
    let kept: String
    let leaked: String
    let daemon: Daemon
    let url: String

    init() throws {
      let fixture = try FleetFixture()
      let file = fixture.program.directory.path("tokens")
      func token(_ name: String) throws -> String {
        try Command.check([
          Daemon.path, "token", "add", "--role", "read", "--name", name, "--file", file,
        ]).trimmingCharacters(in: .newlines)
      }
      self.fixture = fixture
      tokens = file
      (kept, leaked) = (try token("kept"), try token("leaked"))
      daemon = try Daemon([
        "--token-file", file, "--store", "sqlite:\(fixture.store)", "--listen", "127.0.0.1:0",
      ])
      url = "http://127.0.0.1:\(try daemon.port())"
    }

    /// What curl gets for a token: the status.
    func status(_ token: String) throws -> String {
      try Command.check([
        "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H",
        "Authorization: Bearer \(token)",
        "\(url)/v1/builds",
      ])
    }

    var readiness: String { get throws { try Command.check(["curl", "-s", "\(url)/readyz"]) } }
  }

  /// A mistake elsewhere in the file, a file that is gone, and a line that another of its length replaces within
  /// the same tick of the file's times.
  @Test(arguments: [
    ("sed -i '/leaked/d; 1i # tokens of the team' $0", "200", "/tokens:1: not a token line"),
    ("printf 'half a li' >> $0; sed -i '/leaked/d' $0", "200", "/tokens:2: not a token line"),
    ("rm $0", "401", "/tokens: cannot be read"), ("sed -i '/leaked/d' $0", "200", nil),
    (
      "cp -p $0 $0.old; sed '/leaked/s/read/none/' $0.old > $0; touch -r $0.old $0", "200",
      "/tokens:2: not a token line"
    ),
  ])
  func aTokenIsValidAsLongAsItsLineIsThere(
    script: String, keptStatus: String, problem: String?
  ) throws {
    let fleet = try Fleet()
    #expect(try fleet.status(fleet.leaked) == "200")
    #expect(try fleet.readiness == "ready\n")
    try Command.check(["cp", "-p", fleet.tokens, "\(fleet.tokens).sound"])
    try Command.check(["sh", "-c", script, fleet.tokens])
    #expect(try fleet.status(fleet.leaked) == "401")
    #expect(try fleet.status(fleet.kept) == keptStatus)
    if let problem {
      #expect(try fleet.readiness.contains(problem))
      try fleet.daemon.hasSaid("mistake in the token file")
      #expect(fleet.daemon.command.output.contains(problem))
      try Command.check(["mv", "\(fleet.tokens).sound", fleet.tokens])
      #expect(try fleet.status(fleet.leaked) == "200")
    }
    #expect(try fleet.readiness == "ready\n")
    try fleet.daemon.stop()
    // Said once, however many asked.
    #expect(
      fleet.daemon.command.output.ranges(of: "mistake in the token file").count
        == (problem == nil ? 0 : 1))
  }
}
