import Foundation
import TestSupport
import Testing

/// Files that are removed or replaced under a firstlightd that runs.
@Suite(.serialized) struct FleetRemovalTests {
  /// SQLite would go on writing into a file that no name leads to.
  /// - Parameters:
  ///   - script: what happens to the store $0 and the spool $1.
  ///   - traces: how many of four processes the store has in the end: hosts fill it again.
  @Test(arguments: [
    ("rm $0*", 4...4), ("rm $0-wal", 4...4),
    ("sqlite3 $0 \".backup $0.copy\" && mv $0.copy $0", 4...4),
    ("rm $1/.firstlightd/ledger.sqlite*", 4...4), ("rm -r $1/.firstlightd", 4...4),
    ("mv $1 $1.old && mkdir $1", 4...4),
  ])
  func nothingIsAcknowledgedIntoFilesThatAreGone(script: String, traces: ClosedRange<Int>) throws {
    let fleet = try FleetFixture()
    let first = try Daemon(fleet.arguments + ["--listen", "127.0.0.1:0"])
    let ready = "http://127.0.0.1:\(try first.port())/readyz"
    try fleet.run("b")
    try first.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    try first.hasSaid("functions named")
    #expect(try Command.check(["curl", "-s", ready]) == "ready\n")

    try Command.check(["sh", "-c", script, fleet.store, fleet.spool])
    #expect(try Command.check(["curl", "-s", ready]).contains("while in use"))
    for _ in 0..<3 { try fleet.run("d") }
    try first.command.waitForOutput { output in
      output.contains("cannot deliver") || output.contains("cannot collect") ? true : nil
    }
    try first.stop()

    let second = try Daemon(fleet.arguments + ["--listen", "127.0.0.1:0"])
    // Before it listens, SIGTERM ends it like any program.
    _ = try second.port()
    try second.command.wait {
      traces.contains(
        Int(
          try Command.run([
            "sqlite3", "-readonly", fleet.store, FleetSQL.processes,
          ]).output.trimmingCharacters(in: .newlines)) ?? 0)
    }
    try second.command.wait { try fleet.counts().contains("d 3\n") }
    try second.stop()
    #expect(try fleet.leftInSpool.isEmpty)
    #expect(second.command.output.contains("new store") == (script == "rm $0*"))
  }

  /// What refuses to start makes nothing.
  @Test(arguments: [
    ["--spool", "/nonexistent"], ["--listen", "127.0.0.1:0", "--token-file", "/nonexistent"],
    ["--listen", "127.0.0.1:0", "--tls-certificate", "cert.pem", "--tls-key", "other.pem"],
    ["--spool", "spool"],
  ])
  func aDaemonThatRefusesLeavesNoStore(arguments: [String]) throws {
    let fleet = try FleetFixture()
    let folder = fleet.program.directory
    if arguments.contains("cert.pem") {
      try Command.check([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-subj", "/CN=localhost", "-keyout", folder.path("key.pem"), "-out",
        folder.path("cert.pem"),
      ])
      try Command.check([
        "openssl", "ecparam", "-genkey", "-name", "prime256v1", "-out", folder.path("other.pem"),
      ])
    }
    var holder: Daemon?
    if arguments == ["--spool", "spool"] {
      let running = try Daemon([
        "--spool", fleet.spool, "--store", "sqlite:\(folder.path("other.sqlite"))",
      ])
      try running.hasSaid("[Collector] started")
      holder = running
    }
    let result = try Command.run(
      [
        "sh", "-c", "cd $0 && exec timeout 60 \"$@\"", folder.url.path, Daemon.path, "--store",
        "sqlite:\(fleet.store)",
      ] + arguments)
    #expect([65, 66, 69].contains(result.status), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: fleet.store))
    try holder?.stop()
  }
}
