import Foundation
import TestSupport
import Testing

/// A collector to which strangers write.
@Suite(.serialized) struct FleetHostilityTests {
  /// What `Tests/Fixtures/fleet/hostile.py` says in the end.
  private struct Outcome: Decodable {
    /// By HTTP status.
    var answers: [String: Int]
    var processes: Int
    /// Seconds.
    var longest: Double
    /// Bytes.
    var memory: Int
    var growth: [String: Int]
  }

  private static let memoryLimit = 256 << 20

  /// Things that say in a few bytes that they are gigabytes; in between honest programs.
  @Test func whatStrangersSendLeavesItSmallAndServing() throws {
    let fleet = try FleetFixture()
    let (daemon, url, token) = try Self.start(fleet)
    var (sent, runs) = (0, 0)
    let total = Soak.count(80, soak: 10_000)
    // Parts, as nothing that a test waits for takes longer than some minutes.
    let part = min(total, 200)
    for seed in 1...total / part {
      let hostile = try HostileScript.start(
        "hostile",
        [
          url, token, fleet.spool, "\(daemon.command.process.processIdentifier)", "\(seed)",
          "\(part)",
        ])
      try fleet.run("b")
      try fleet.run("fd")
      runs += 2
      let outcome = try JSONDecoder().decode(
        Outcome.self, from: Data(Self.finish(hostile, beside: daemon).utf8))
      print("hostile, seed \(seed): \(outcome)")
      sent += outcome.processes + outcome.answers.values.reduce(0, +)
      #expect(outcome.memory < Self.memoryLimit, "\(outcome)")
      // How long it takes on a machine that does nothing else.
      if Soak.isOn { #expect(outcome.longest < 1) }
    }
    #expect(sent == total)
    // All that was left is counted or set aside, and what is honest counts.
    try daemon.command.wait { try fleet.leftInSpool.isEmpty }
    let honest = FleetSQL.programRuns
    try daemon.waits(for: "\(runs)", from: honest, in: fleet.store)
    // Each build is asked for, by what an hour of strangers has left.
    let asked = try HostileScript.run(
      "ask", url, token, "\(daemon.command.process.processIdentifier)", beside: daemon)
    let memory = try #require(Int(asked.trimmingCharacters(in: .newlines)))
    // An answer about a million functions takes more than counting them.
    #expect(memory < 2 * Self.memoryLimit)
    try daemon.stop()
    // It starts again with what it remembers.
    let (again, _, _) = try Self.start(fleet)
    try fleet.run("b")
    try again.waits(for: "\(runs + 1)", from: honest, in: fleet.store)
    let peak = try Self.status(of: again, "VmHWM")
    #expect(peak < Self.memoryLimit)
    try again.stop()
    #expect(
      try Command.check([
        Toolchain.firstlight, "fleet", "dead", "--from", "sqlite:\(fleet.store)", "--program",
        "program",
      ]).contains("never"))
  }

  /// A process whose files end the daemon each time it reads them: here for want of memory.
  @Test func aProcessThatEndsTheDaemonTwiceIsPostponed() throws {
    let fleet = try FleetFixture()
    try HostileScript.run("heavy", fleet.spool)
    let limit = try Self.smallMemory(fleet)
    for _ in 1...2 {
      let daemon = try Self.limited(fleet, limit)
      try daemon.command.waitForEnd()
      #expect(try daemon.command.wait().signalled, "\(daemon.command.output.suffix(2000))")
    }
    try fleet.run("b")
    let daemon = try Self.limited(fleet, limit)
    try daemon.hasSaid("recording postponed: firstlightd crashed while counting it")
    try daemon.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.leftInSpool.count == 2)
    #expect(try fleet.counts() == "a 1\nb 1\nmain 1\n")
  }

  /// Its sender tries again later; others are served meanwhile.
  @Test func aBatchThatEndsTheDaemonBansNoHost() throws {
    let fleet = try FleetFixture()
    let limit = try Self.smallMemory(fleet)
    func send() throws -> (answer: String, daemon: Daemon) {
      let (daemon, url, token) = try Self.start(fleet, limit: limit)
      let answer = try HostileScript.run("heavy", url, token)
      if answer.hasPrefix("ended") { try daemon.command.waitForEnd() }
      return (answer, daemon)
    }
    for _ in 1...3 {
      let (answer, daemon) = try send()
      #expect(answer == "ended\n")
      #expect(try daemon.command.wait().signalled)
    }
    let daemon = try Self.start(fleet, limit: limit).daemon
    try fleet.run("b")
    try daemon.waits(for: "1", from: FleetSQL.processes, in: fleet.store)
    try daemon.hasSaid("[Collector] started")
    try daemon.stop()
  }

  // MARK: Helpers

  /// What a script prints; takes in what the daemon says meanwhile, so that it never waits for us.
  private static func finish(_ script: RunningCommand, beside daemon: Daemon?) throws -> String {
    try daemon?.command.wait { !script.process.isRunning }
    let result = try script.wait()
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  private static func start(
    _ fleet: FleetFixture, limit: Int? = nil
  ) throws -> (daemon: Daemon, url: String, token: String) {
    let listener = try Listener(
      fleet, fleet.arguments, environment: environment,
      before: limit.map { ["prlimit", "--data=\($0)"] } ?? [])
    return (listener.daemon, listener.url, listener.token)
  }

  private static let environment = ["SWIFT_BACKTRACE": "enable=no"]

  private static func limited(_ fleet: FleetFixture, _ limit: Int) throws -> Daemon {
    try Daemon(fleet.arguments, environment: environment, before: ["prlimit", "--data=\(limit)"])
  }

  /// What a daemon needs that has nothing to do, and a little more; bytes.
  private static func smallMemory(_ fleet: FleetFixture) throws -> Int {
    let spool = fleet.program.directory.path("idle")
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
    let idle = FleetFixture(copying: fleet, spool: spool, store: spool + ".sqlite")
    let (daemon, _, _) = try start(idle)
    try daemon.hasSaid("[Collector] started")
    try idle.run("b")
    try daemon.hasSaid("functions named")
    let size = try status(of: daemon, "VmData")
    try daemon.stop()
    return size + 40 << 20
  }

  /// A line of /proc/PID/status (proc(5)) in bytes.
  private static func status(of daemon: Daemon, _ key: String) throws -> Int {
    let path = "/proc/\(daemon.command.process.processIdentifier)/status"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(key + ":") })
    return try #require(Int(line.split(separator: "\t")[1].split(separator: " ")[0])) * 1024
  }
}
