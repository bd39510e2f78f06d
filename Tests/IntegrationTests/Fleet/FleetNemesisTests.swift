import Foundation
import TestSupport
import Testing

/// What goes wrong in a fleet, one thing after the other in an order that a seed gives: in the end every run
/// counts, and once. The seed can be given as FIRSTLIGHT_SEED.
@Suite(.serialized) struct FleetNemesisTests {
  enum Nemesis: String, CaseIterable {
    case killedSender, killedReceiver, pausedReceiver, senderAhead, senderBehind, receiverAhead
    case unseenProcesses, forgedReports, slowPeers, fewDescriptors, damagedStore
  }

  @Test(
    .enabled(
      if: FleetMisfortuneTests.canMakePIDNamespaces, "makes namespaces, so needs root"))
  func nothingIsLostOrCountedTwice() throws {
    let seed =
      ProcessInfo.processInfo.environment["FIRSTLIGHT_SEED"].flatMap { UInt64($0) }
      ?? .random(in: 0...UInt64.max)
    print("nemeses: FIRSTLIGHT_SEED=\(seed)")
    var random = SplitMix64(state: seed)
    // Each once in Scripts/test.
    let schedule = (0..<Soak.count(1, soak: 10)).flatMap { _ in
      Nemesis.allCases.shuffled(using: &random)
    }
    var fleet = try NemesisFleet()
    for nemesis in schedule {
      try fleet.round(nemesis, using: &random)
    }
    let runs = schedule.count * NemesisFleet.runsOfAStorm
    try fleet.finish(runs: runs)
    let counts = try fleet.sender.counts(of: fleet.receiver.store)
    try #require(
      counts == "a \(runs)\nb \(runs)\nc \(runs / 3 * 2)\nd \(runs / 3)\nmain \(runs)\n",
      "FIRSTLIGHT_SEED=\(seed)")
    for nemesis in Nemesis.allCases {
      let rounds = schedule.count { $0 == nemesis }
      print(
        "\(nemesis): \(rounds) rounds, \(rounds * NemesisFleet.runsOfAStorm) runs, lost 0, "
          + "counted twice 0"
          + (nemesis == .forgedReports
            ? "; \(rounds) forged reports count for nothing: they have 3 functions, the uploaded "
              + "binary has others"
            : ""))
    }
  }
}

/// A host's daemon, and the one it sends to, which keeps its port.
private struct NemesisFleet {
  let sender: FleetFixture
  let receiver: FleetFixture
  private let buildID: String
  private let token: String
  private let senderConfig: String
  private let receiverConfig: String
  private var upstream: Daemon
  private let port: Int
  private var forgeries = 0

  private static let storm = """
    for i in 1 2 3 4; do "$0" b & "$0" fd & "$0" f & done; wait
    """
  static let runsOfAStorm = 12

  private var url: String { "http://127.0.0.1:\(port)" }

  init() throws {
    sender = try FleetFixture()
    let directory = sender.program.directory
    receiver = FleetFixture(
      copying: sender, spool: sender.spool, store: directory.path("upstream.sqlite"))
    let tokens = directory.path("tokens")
    token = try Command.check([
      Daemon.path, "token", "add", "--role", "admin", "--name", "nemesis", "--file", tokens,
    ]).trimmingCharacters(in: .newlines)
    senderConfig = try directory.write(
      "upstream-token-file = \(try directory.write(token, to: "token"))\n", to: "sender.conf")
    receiverConfig = try directory.write(
      "token-file = \(tokens)\nconnections = 64\nhead-timeout = 2\n", to: "receiver.conf")
    upstream = try Self.receiver(receiver, receiverConfig, port: 0)
    port = try upstream.port()
    let notes = try Command.check(["readelf", "-n", sender.program.executable])
    buildID = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/).map { String($0.1) })
    try Command.check(
      [Toolchain.firstlight, "upload-symbols", sender.program.executable, "--to", url],
      environment: ["FIRSTLIGHT_TOKEN": token])
  }

  private static func receiver(
    _ fleet: FleetFixture, _ config: String, port: Int, environment: [String: String] = [:],
    before: [String] = []
  ) throws -> Daemon {
    try Daemon(
      ["--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:\(port)"],
      environment: environment, before: before)
  }

  private mutating func restart(
    environment: [String: String] = [:], before: [String] = [],
    changing change: () throws -> Void = {}
  ) throws {
    try upstream.stop()
    try change()
    upstream = try Self.receiver(
      receiver, receiverConfig, port: port, environment: environment, before: before)
    _ = try upstream.port()
  }

  /// Programs run and a daemon of their host sends on what they did, while one thing goes wrong.
  mutating func round(_ nemesis: FleetNemesisTests.Nemesis, using random: inout SplitMix64)
    throws
  {
    // Not a wait for anything: the moment is to be any.
    let moment = UInt32.random(in: 0...300_000, using: &random)
    switch nemesis {
    case .killedSender:
      try storm(ending: { try $0.kill() }, after: moment)
    case .killedReceiver:
      try storm(after: moment) { try upstream.kill() }
      upstream = try Self.receiver(receiver, receiverConfig, port: port)
      _ = try upstream.port()
    case .pausedReceiver:
      try storm(after: moment) { upstream.command.send(SIGSTOP) }
      upstream.command.send(SIGCONT)
    case .senderAhead: try storm(at: "+400d", after: moment)
    case .senderBehind: try storm(at: "-9000d", after: moment)
    case .receiverAhead:
      try restart(environment: try WrongClock.environment("+10d"))
      try storm(after: moment)
      try restart()
    case .unseenProcesses:
      // unshare(1) passes no signal on, so that daemon is killed.
      try storm(
        before: ["unshare", "-pf", "--mount-proc", "--kill-child"], ending: { try $0.kill() },
        after: moment)
    case .forgedReports:
      forgeries += 1
      let forged = try Command.start(
        [
          "python3", "-B", Toolchain.project.appending(path: "Tests/Fixtures/fleet/post.py").path,
          url, token, "3", "forged \(forgeries)",
        ], environment: ["BUILD": buildID])
      try storm(after: moment)
      #expect(try forged.wait().output.hasPrefix("200"))
    case .slowPeers: try withPeers(100, "slow") { try storm(after: moment) }
    case .fewDescriptors:
      try restart(before: ["sh", "-c", "ulimit -n 200 && exec \"$@\"", "sh"])
      try withPeers(250, "idle") { try storm(after: moment) }
      try restart()
    case .damagedStore: try damageTheStore(after: moment)
    }
  }

  private func storm(
    at offset: String? = nil, before: [String] = [],
    ending end: (Daemon) throws -> Void = { try $0.stop() }, after moment: UInt32,
    meanwhile: () throws -> Void = {}
  ) throws {
    let daemon = try Daemon(
      ["--config", senderConfig, "--spool", sender.spool, "--upstream", url],
      environment: try offset.map(WrongClock.environment) ?? [:], before: before)
    try daemon.hasSaid("[Collector] started")
    let programs = try Command.start(
      ["sh", "-c", Self.storm, sender.program.executable],
      environment: ["FIRSTLIGHT_DIR": sender.spool])
    usleep(moment)
    try meanwhile()
    #expect(try programs.wait().status == 0)
    try end(daemon)
  }

  private func withPeers(_ count: Int, _ kind: String, _ body: () throws -> Void) throws {
    let peers = try HostileScript.start("peers", ["\(port)", "\(count)", kind])
    try peers.waitForOutput { $0.contains("open") ? true : nil }
    try body()
    peers.send(SIGKILL)
    _ = try peers.wait()
  }

  /// A page of the store cannot be read for a while; then the disk that holds it is back.
  private mutating func damageTheStore(after moment: UInt32) throws {
    let store = receiver.store
    let copy = store + ".copy"
    try restart {
      let page = try #require(
        Int(
          try Command.check([
            "sqlite3", store,
            """
            PRAGMA wal_checkpoint(TRUNCATE);
            SELECT rootpage FROM sqlite_schema WHERE name = 'state'
            """,
          ]).split(separator: "\n").last ?? ""))
      try Command.check(["cp", store, copy])
      let file = try #require(FileHandle(forUpdatingAtPath: store))
      try file.seek(toOffset: UInt64(page - 1) * 4096)
      try file.write(contentsOf: Data(repeating: 0xff, count: 4096))
      try file.close()
    }
    try storm(after: moment)
    try restart {
      try Command.check(["rm", "-f", store, store + "-wal", store + "-shm"])
      try Command.check(["mv", copy, store])
    }
  }

  /// A last daemon of the host, to which nothing happens, brings what is left.
  func finish(runs: Int) throws {
    let daemon = try Daemon(
      ["--config", senderConfig, "--spool", sender.spool, "--upstream", url])
    // A run counts with the first of its processes: the others may still be in the spool.
    try daemon.command.wait { try sender.leftInSpool.isEmpty }
    try daemon.waits(
      for: "\(runs)",
      from: FleetSQL.programRuns, in: receiver.store)
    try daemon.waits(
      for: "0", from: FleetSQL.waiting,
      in: sender.spool + "/.firstlightd/ledger.sqlite")
    // All may have been there before it hears signals.
    try daemon.hasSaid("[Collector] started")
    try daemon.stop()
    try upstream.stop()
    let aside = sender.spool + "/.firstlightd/quarantine"
    #expect(try FileManager.default.contentsOfDirectory(atPath: aside).isEmpty)
    #expect(try sender.leftInSpool == [])
  }
}
