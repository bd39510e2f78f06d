import Foundation
import TestSupport
import Testing

/// From programs through a spool and firstlightd to answers.
@Suite(.serialized, .tags(.compiler)) struct FleetTests {
  @Test func aSpoolGivesTheAnswersOfMergedRecordings() throws {
    let fleet = try FleetFixture()
    let what = ["", "b", "fd", "f", "d", "b"]
    let profiles = try what.enumerated().map { try fleet.runAndRecord($1, number: $0) }
    let merged = fleet.program.directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", "-o", merged] + profiles)

    let daemon = try Daemon(["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"])
    try daemon.hasTaken(8)
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.leftInSpool == [])

    let from = ["--from", "sqlite:\(fleet.store)"]
    let dead = try Command.check(
      [Toolchain.firstlight, "fleet", "dead", "--format", "json"] + from)
    let document = try JSONDecoder().decode(DeadDocument.self, from: Data(dead.utf8))
    let expected = try Answer.dead([merged])
    #expect(document.functions.map(\.name) == ["never"])
    #expect(document.mangledNames == expected.mangledNames)
    #expect(document.totals.called == expected.totals.called)
    for strategy in ["first-call", "balanced"] {
      let order = try Command.check(
        [Toolchain.firstlight, "fleet", "order", "--strategy", strategy] + from)
      #expect(
        order
          == (try Command.check([Toolchain.firstlight, "order", "--strategy", strategy, merged])))
    }
    #expect(try fleet.counts() == "a 6\nb 4\nc 2\nd 2\nmain 6\n")
    let starts = try Command.check([Toolchain.firstlight, "fleet", "startups"] + from)
    #expect(starts.contains("  6  "))
  }

  @Test func aVersionIsAskedForByName() throws {
    let fleet = try FleetFixture()
    let config = try fleet.program.directory.write("label.version = 2.1\n", to: "config")
    try fleet.run("b")
    let daemon = try Daemon([
      "--config", config, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)",
      "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try daemon.hasSaid("functions named")
    for command in ["builds", "startups", "dead", "order"] {
      func ask(_ version: String) throws -> CommandResult {
        try Command.run(
          [Toolchain.firstlight, "fleet", command, "--from", url]
            + (command == "order" ? [] : ["--format", "json"])
            + ["--program", "program", "--version", version])
      }
      let result = try ask("2.1")
      #expect(result.status == 0 && !result.output.isEmpty, "\(result.errors)")
      #expect(try ask("9").output != result.output)
    }
    let order = try Command.check(
      [Toolchain.firstlight, "fleet", "order", "--from", url, "--version", "2.1"])
    #expect(order.hasSuffix("main\na\nb\n"))
    let secure = try Command.run(
      [Toolchain.firstlight, "fleet", "builds", "--from", url.replacing("http:", with: "https:")])
    #expect(secure.status == 69)
    #expect(secure.errors.contains("no answer: it does not support TLS; try http://"))
    // A proxy is for other machines than this one.
    let direct = try Command.run(
      [Toolchain.firstlight, "fleet", "builds", "--from", url],
      environment: ["http_proxy": "http://127.0.0.1:1"])
    #expect(direct.status == 0, "\(direct.errors)")
    try daemon.stop()
    #expect(
      try Command.check([Toolchain.firstlight, "--version"])
        == (try Command.check([Daemon.path, "--version"])))
    #expect(try Command.check([Daemon.path, "--help"]).contains("[--spool DIR]"))
  }

  @Test func startUpTimesAreListedByLabelsEachTime() throws {
    let fleet = try FleetFixture()
    for (number, region) in ["us", "ap", "eu"].enumerated() {
      let config = try fleet.program.directory.write("label.region = \(region)\n", to: "config")
      try fleet.run("b")
      let daemon = try Daemon([
        "--config", config, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)",
      ])
      try daemon.waits(
        for: "\(number + 1)", from: FleetSQL.processes, in: fleet.store)
      try daemon.hasSaid("[Collector] started")
      try daemon.stop()
    }
    // Hashes differ in each process.
    for _ in 0..<4 {
      let starts = try Command.check([
        Toolchain.firstlight, "fleet", "startups", "--from", "sqlite:\(fleet.store)",
      ])
      #expect(starts.matches(of: /region=(..)/).map(\.output.1) == ["ap", "eu", "us"])
    }
  }

  @Test func aProcessThatRunsIsSeenAndCountedWhenItEnds() throws {
    let fleet = try FleetFixture()
    let waiting = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      int main(void) { puts("waits"); fflush(stdout); return pause(); }
      """)
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
      "--socket", fleet.program.directory.path("socket"),
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    let process = try Command.start(
      [waiting.executable], environment: ["FIRSTLIGHT_DIR": fleet.spool])
    try process.waitForOutput { $0.contains("waits") ? true : nil }
    var status = ""
    while !status.contains(waiting.executable) {
      status = try Command.check([Toolchain.firstlight, "fleet", "status", "--from", url])
    }
    #expect(Daemon.sum(of: "collected", "processes=", in: daemon.command.output) == 0)
    process.send(SIGKILL)
    _ = try process.wait()
    try daemon.hasTaken(1)
    try daemon.stop()
  }

  @Test func onlyUnreadableRecordingsAreQuarantined() throws {
    let fleet = try FleetFixture()
    try Data("nonsense".utf8).write(
      to: URL(filePath: "\(fleet.spool)/1-2-00000000000000ff.process"))
    try Data(count: 9000).write(to: URL(filePath: "\(fleet.spool)/1-2-00000000000000ff-0.segment"))
    try Data("other".utf8).write(to: URL(filePath: "\(fleet.spool)/notes.txt"))
    try fleet.run("b")
    let daemon = try Daemon(["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"])
    try daemon.hasSaid("recording quarantined")
    try daemon.hasTaken(1)
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.leftInSpool == ["notes.txt"])
    let aside = "\(fleet.spool)/.firstlightd/quarantine"
    let names = try FileManager.default.contentsOfDirectory(atPath: aside).sorted()
    #expect(
      names == [
        "1-2-00000000000000ff-0.segment", "1-2-00000000000000ff.process",
        "1-2-00000000000000ff.reason",
      ])
    let reason = try String(contentsOfFile: "\(aside)/1-2-00000000000000ff.reason", encoding: .utf8)
    #expect(reason.contains("ends within its header"))
    #expect(try fleet.counts() == "a 1\nb 1\nmain 1\n")
  }

  /// Each process leaves three files, which take up 16 KiB.
  @Test(arguments: ["user-bytes = 16K", "user-files = 3", "total-bytes = 16K", "total-files = 5"])
  func beyondTheQuotasTheOldestThatWaitGo(quota: String) throws {
    let fleet = try FleetFixture()
    for what in ["b", "d", "d", "bd", "b"] { try fleet.run(what) }
    let config = try fleet.program.directory.write("user-rate = 1\n\(quota)\n", to: "config")
    let daemon = try Daemon([
      "--config", config, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)",
    ])
    // The first is taken in, of the four that wait there is room for the last. Functions are named when the
    // first is delivered, a second before that one is taken in.
    try daemon.waits(for: "2", from: FleetSQL.processes, in: fleet.store)
    try daemon.hasSaid("functions named")
    try daemon.stop()
    let dropped = daemon.command.output.split(separator: "\n").filter {
      $0.contains("dropped: quota exceeded")
    }
    #expect(dropped.count == 1 && dropped.allSatisfy { $0.contains(", and 2 before it") })
    #expect(dropped.allSatisfy { $0.contains(fleet.program.executable) && $0.contains("user ") })
    #expect(try fleet.counts() == "a 2\nb 2\nmain 2\n")
    #expect(try fleet.leftInSpool == [])
  }

  @Test(arguments: [
    ("user-files = 0", "\"0\" is not a number above 0"),
    ("total-files = 2G", "\"2G\" is not a number above 0"),
    ("files = 2", "unknown setting \"files\""),
  ])
  func aSettingThatCannotBeIsNamed(line: String, words: String) throws {
    let directory = try TemporaryDirectory()
    let config = try directory.write("# quotas\n\(line)\n", to: "config")
    let result = try Command.run([Daemon.path, "--config", config])
    #expect(result.status == 64)
    #expect(result.errors.contains("\(config):2: \(words)"))
  }

  @Test func optionsWinOverVariablesAndThoseOverTheFile() throws {
    let fleet = try FleetFixture()
    let others = fleet.program.directory.path("others.sqlite")
    let config = try fleet.program.directory.write(
      "spool = \(fleet.spool)\nstore = sqlite:/nonexistent/x\nlog-level = verbose\n", to: "config")
    try fleet.run("b")
    let environment = [
      "FIRSTLIGHTD_CONFIG": config, "FIRSTLIGHTD_STORE": "sqlite:\(others)",
      "FIRSTLIGHTD_LOG_LEVEL": "info", "FIRSTLIGHTD_USER_FILS": "3", "FIRSTLIGHTD_HOST": "",
    ]
    let daemon = try Daemon(["--store", "sqlite:\(fleet.store)"], environment: environment)
    try daemon.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    try daemon.stop()
    #expect(!FileManager.default.fileExists(atPath: others))
    #expect(
      daemon.command.output.contains(
        "unknown setting in the environment variable FIRSTLIGHTD_USER_FILS"))
    let wrong = try Command.run(
      [Daemon.path, "--config", config],
      environment: ["FIRSTLIGHTD_USER_RATE": "fast", "FIRSTLIGHTD_LOG_LEVEL": "info"])
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("FIRSTLIGHTD_USER_RATE: \"fast\" is not a number above 0"))
  }

  /// Whenever it is told to end, it does: by itself, or by the signal as long as it has touched nothing.
  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalRightAfterTheStartEndsItWell(signal: Int32) throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    var generator = SystemRandomNumberGenerator()
    var byItself = 0
    let rounds = Soak.count(40, soak: 300)
    for round in 0..<rounds {
      let daemon = try Daemon([
        "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
        "--socket", fleet.program.directory.path("look"),
      ])
      // Not a wait for anything: the moment is to be any.
      if round > 0 { usleep(.random(in: 0...100_000, using: &generator)) }
      // On a busy machine all those moments may lie before the daemon hears signals.
      if round == rounds - 1 { try daemon.hasSaid("[Collector] started") }
      daemon.command.send(signal)
      try daemon.command.waitForEnd()
      let result = try daemon.command.wait()
      if result.signalled {
        #expect(result.status == signal && result.output == "", "\(result.output)")
      } else {
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.hasSuffix("[Collector] stopped\n"), "\(result.output)")
        byItself += 1
      }
    }
    #expect(byItself > 0)
    // Nothing was lost or counted twice on the way.
    let daemon = try Daemon(["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"])
    try daemon.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    try daemon.hasSaid("[Collector] started")
    try daemon.stop()
    #expect(try fleet.leftInSpool == [])
  }

  @Test func aSecondDaemonOnASpoolRefuses() throws {
    let fleet = try FleetFixture()
    let arguments = ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"]
    let first = try Daemon(arguments)
    try first.hasSaid("started")
    let second = try Command.run([Daemon.path] + arguments)
    #expect(second.status == 69)
    #expect(second.errors.contains("another firstlightd uses this spool"))
    try first.stop()
  }

  @Test(arguments: [
    (["--listen", "0.0.0.0:0"], 64, "needs both TLS and tokens"),
    (["--listen", "127.evil.example:0"], 64, "needs both TLS and tokens"),
    ([], 64, "nothing to do"),
    (["--spool", "nonexistent"], 66, "/nonexistent"),
    (["--spool", "/nonexistent"], 66, "/nonexistent"),
    (["--listen", "nowhere"], 64, "is not an address and port"),
    (["--store", "mysql:x", "--listen", "127.0.0.1:0"], 64, "use sqlite:PATH"),
    (["--config", "/nonexistent"], 66, "/nonexistent"),
  ])
  func impossibleSettingsFailAtOnce(arguments: [String], status: Int32, words: String) throws {
    let directory = try TemporaryDirectory()
    let result = try Command.run(
      [Daemon.path] + arguments, environment: ["XDG_STATE_HOME": directory.path("state")])
    #expect(result.status == status)
    #expect(result.errors.contains(words))
  }

  /// The daemon dies again and again while programs come and go; in the end each run counts once.
  @Test func aDaemonThatIsKilledLosesAndRepeatsNothing() throws {
    let fleet = try FleetFixture()
    let upstream = try FleetFixture()
    let receiver = try Daemon(["--store", "sqlite:\(upstream.store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try receiver.port())"
    let arguments = ["--spool", fleet.spool, "--upstream", url]
    let rounds = Soak.count(12, soak: 100)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<rounds {
      let daemon = try Daemon(arguments)
      let storm = try Command.start(
        [
          "sh", "-c",
          "for i in 1 2 3 4; do \"$0\" b & \"$0\" fd & \"$0\" f & done; wait",
          fleet.program.executable,
        ], environment: ["FIRSTLIGHT_DIR": fleet.spool])
      // Not a wait for anything: the moment of death is to be any.
      usleep(.random(in: 0...400_000, using: &generator))
      try daemon.kill()
      #expect(try storm.wait().status == 0)
    }
    let last = try Daemon(arguments)
    try last.hasSaid("[Collector] started")
    let total = rounds * 20
    try last.waits(
      for: "\(total)", from: FleetSQL.processes, in: upstream.store)
    try last.stop()
    try Command.check(
      [Toolchain.firstlight, "upload-symbols", fleet.program.executable, "--to", url])
    try receiver.stop()
    #expect(try fleet.leftInSpool == [])
    let runs = rounds * 12
    #expect(
      try fleet.counts(of: upstream.store)
        == "a \(runs)\nb \(runs)\nc \(runs / 3 * 2)\nd \(runs / 3)\nmain \(runs)\n")
    #expect(
      try Command.check([
        "sqlite3", upstream.store, "SELECT sum(hosts), sum(program_runs) FROM state",
      ])
        == "1|\(runs)\n")
  }
}
