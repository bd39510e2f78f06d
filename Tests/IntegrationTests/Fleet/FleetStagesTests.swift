import Foundation
import TestSupport
import Testing

/// Stages of watched starts on their way to a fleet's answers.
@Suite(.serialized, .tags(.compiler)) struct FleetStagesTests {
  private struct Startups: Decodable {
    struct Stage: Decodable {
      var kind: String
      var starts: Int
      var p50, p90, p99: Double
    }
    struct Row: Decodable {
      var version: String
      var starts: Int
      var stages: [Stage]?
    }
    var startups: [Row]
  }

  @Test func whatLaunchRecordsIsShownByVersion() throws {
    let program = try Fixture.c(
      """
      #include <unistd.h>
      __attribute__((constructor)) static void slow(void) { usleep(30000); }
      int main(void) { usleep(10000); return 0; }
      """, flags: Fixture.plain)
    let store = program.directory.path("fleet.sqlite")
    let daemon = try Daemon(["--store", "sqlite:\(store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    let profile = program.directory.path("p.flp")
    for version in ["1.1", "1.1", "1.0"] {
      try Command.check([
        Toolchain.firstlight, "launch", "--runs", "1", "--profile", profile, "--",
        program.executable,
      ])
      try Command.check([
        Toolchain.firstlight, "upload", profile, "--to", url, "--label", "version=\(version)",
      ])
    }
    for from in [url, "sqlite:\(store)"] {
      let text = try Command.check([
        Toolchain.firstlight, "fleet", "startups", "--format", "json", "--from", from,
      ])
      let rows = try JSONDecoder().decode(Startups.self, from: Data(text.utf8)).startups
      #expect(rows.map(\.version).sorted() == ["1.0", "1.1"])
      let row = try #require(rows.first { $0.version == "1.1" })
      let stages = try #require(row.stages)
      #expect(
        stages.map(\.kind) == ["exec", "mapping", "relocating", "initializers", "main"])
      #expect(stages.allSatisfy { $0.starts == 2 && $0.p50 > 0 })
      // A bucket is 5% wide.
      #expect(try #require(stages.first { $0.kind == "initializers" }).p50 > 0.030 * 0.97)
      #expect(try #require(stages.first { $0.kind == "main" }).p50 > 0.010 * 0.97)
    }
    // Of the starts that were not slowed down by breakpoints, and of no other.
    let typical = try Command.check([
      "sqlite3", profile, "SELECT launch ->> '$.typical.stages.main' FROM process",
    ])
    let nanoseconds = try #require(Double(typical.split(separator: "\n")[0]))
    let rows = try JSONDecoder().decode(
      Startups.self,
      from: Data(
        try Command.check([
          Toolchain.firstlight, "fleet", "startups", "--format", "json", "--from", url,
        ]).utf8)
    ).startups
    let main = try #require(
      rows.first { $0.version == "1.0" }?.stages?.first { $0.kind == "main" })
    #expect(abs(main.p50 / (nanoseconds / 1e9) - 1) < 0.03)
    let table = try Command.check([
      Toolchain.firstlight, "fleet", "startups", "--from", "sqlite:\(store)",
    ])
    #expect(table.contains("  relocating"))
    try daemon.stop()
  }
}
