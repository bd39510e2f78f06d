import Foundation
import TestSupport
import Testing

/// What firstlightd says while it runs, and what it does not.
@Suite(.serialized) struct FleetLogTests {
  @Test func uploadsAreReported() throws {
    let fleet = try FleetFixture()
    let profile = try fleet.runAndRecord("b", number: 1)
    let daemon = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    for arguments in [["upload", profile], ["upload", profile]] {
      try Command.check([Toolchain.firstlight] + arguments + ["--to", url])
    }
    try Command.check([
      Toolchain.firstlight, "upload-symbols", fleet.program.executable, "--to", url,
    ])
    // What is wrong with a question is nothing that an administrator has to look into.
    for path in ["/v1/dead?program=other", "/nowhere", "/builds/0", "/v1/order?nonsense=1"] {
      _ = try Command.run(["curl", "-s", url + path])
    }
    try daemon.stop()
    let lines = daemon.command.output.split(separator: "\n")
    func holds(_ words: [String]) -> Bool {
      lines.contains { line in words.allSatisfy(line.contains) }
    }
    #expect(holds(["rows=1 ", "known=0", "refused=0", "[Collector] received"]))
    #expect(holds(["rows=0 ", "known=1", "[Collector] received"]))
    #expect(holds(["file=program", "functions=", "[Collector] symbols received"]))
    #expect(!lines.contains { $0.contains(" warning ") }, "\(daemon.command.output)")
  }

  /// A name begins no line of its own, and does nothing to a terminal.
  @Test func namesOfOthersStayWithinTheirLine() throws {
    let fleet = try FleetFixture()
    let name = "evil\n2026-01-01T00:00:00+0000 info forged\u{1b}]0;owned\u{7}\u{202e}"
    let path = fleet.program.directory.path(name)
    try ProgramFile.copy(fleet.program.executable, to: path)
    try Command.check([path, "b"], environment: ["FIRSTLIGHT_DIR": fleet.spool])
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    try daemon.hasSaid("functions named")
    let url = "http://127.0.0.1:\(try daemon.port())"
    let builds = try Command.check([Toolchain.firstlight, "fleet", "builds", "--from", url])
    #expect(builds.split(separator: "\n").count == 2)
    let dead = try Command.check([Toolchain.firstlight, "fleet", "dead", "--from", url])
    let answer = try Command.check(["curl", "-s", "\(url)/v1/dead"])
    try daemon.stop()
    for text in [daemon.command.output, builds, dead, answer] {
      #expect(!text.contains("\n2026-01-01T00:00:00+0000 info forged"))
      #expect(!text.unicodeScalars.contains { "\u{1b}\u{7}\u{202e}".unicodeScalars.contains($0) })
      #expect(
        text.contains("evil\\n2026-01-01T00:00:00+0000 info forged\\x1b]0;owned\\x07\\u{202e}"))
    }
  }
}
