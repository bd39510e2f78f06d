import Foundation
import TestSupport
import Testing

/// What strangers leave in a spool takes up no more than they may.
@Suite(.serialized) struct FleetQuotaTests {
  /// A user's files that say to be of pid 1, which never ends and is root's; somebody keeps them open, so that
  /// the kernel says that they may still be written.
  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func whatOnlySaysThatItRunsHasAQuota() throws {
    let fleet = try FleetFixture()
    try HostileScript.run("leave", fleet.spool, "forged")
    let holder = try Command.start([
      "python3", "-u", "-c",
      """
      import os, sys, time
      files = [open(os.path.join(sys.argv[1], n), "r+b") for n in os.listdir(sys.argv[1])]
      print("held")
      time.sleep(1000)
      """, fleet.spool,
    ])
    defer { holder.send(SIGKILL) }
    try holder.waitForOutput { $0.contains("held") ? true : nil }
    let config = try fleet.program.directory.write("user-files = 7\n", to: "config")
    let daemon = try Daemon(["--config", config] + fleet.arguments)
    try daemon.command.wait { try fleet.leftInSpool.count <= 7 }
    try fleet.run("b")
    try daemon.hasTaken(1)
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(daemon.command.output.contains("of user 65534"))
    // The two that came last.
    #expect(
      try fleet.leftInSpool.sorted()
        == [5, 6].flatMap { key in
          ["-0.segment", "-1.segment", ".process"].map { "1-0-000000000000000\(key)\($0)" }
        })
    #expect(try fleet.counts() == "a 1\nb 1\nmain 1\n")
  }

  /// A user's files that say, and truly, to be of a process of theirs that runs.
  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func whatRunsHasAQuota() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write("user-files = 500\n", to: "config")
    let daemon = try Daemon(["--config", config] + fleet.arguments + ["--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    let script = try HostileScript.start("leave", [fleet.spool, "running"])
    defer { script.send(SIGKILL) }
    try script.waitForOutput { $0.contains("made") ? true : nil }
    try daemon.command.wait { try fleet.leftInSpool.count <= 500 }
    try fleet.run("b")
    try daemon.hasTaken(1)
    let status = try Command.check(["curl", "-s", "\(url)/v1/status"])
    #expect(status.ranges(of: "\"pid\"").count == 500)
    let memory = try Command.check([
      "awk", "/VmHWM/ { print $2 }", "/proc/\(daemon.command.process.processIdentifier)/status",
    ])
    #expect(try #require(Int(memory.trimmingCharacters(in: .newlines))) < 256 << 10)
    try daemon.stop()
    // The user who left them lost some, in some lines of the log.
    let lines = daemon.command.output.split(separator: "\n").filter {
      $0.contains("quota exceeded")
    }
    #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("of user 65534") })
    #expect(try fleet.leftInSpool.count == 500)
  }

  @Test func theQuarantineHasALimit() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write("quarantine-files = 7\n", to: "config")
    let daemon = try Daemon(["--config", config] + fleet.arguments)
    try daemon.hasSaid("[Collector] started")
    let aside = "\(fleet.spool)/.firstlightd/quarantine"
    try Data("{}".utf8).write(to: URL(filePath: "\(aside)/batch-1-2.flb"))
    try HostileScript.run("leave", fleet.spool, "unreadable")
    try daemon.hasSaid("from the quarantine")
    try daemon.command.wait {
      try fleet.leftInSpool.isEmpty
        && FileManager.default.contentsOfDirectory(atPath: aside).count == 7
    }
    try daemon.stop()
    let names = try FileManager.default.contentsOfDirectory(atPath: aside)
    // Whole processes, those of the user who has most; batches have a share of their own.
    #expect(names.contains("batch-1-2.flb"))
    #expect(names.count { $0.hasSuffix(".reason") } == 2)
    #expect(names.count { $0.hasSuffix(".process") } == 2)
  }

  @Test func filesWithoutAWriterGo() throws {
    let fleet = try FleetFixture()
    try HostileScript.run("leave", fleet.spool, "unfinished")
    let daemon = try Daemon(fleet.arguments)
    try daemon.command.wait { try fleet.leftInSpool.count == 2 }
    try daemon.hasSaid("[Collector] started")
    try daemon.stop()
    #expect(
      try fleet.leftInSpool.sorted() == [".4000000-9-0000000000000001-1-4000000", ".other"])
  }
}
