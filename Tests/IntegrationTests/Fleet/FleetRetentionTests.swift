import Foundation
import TestSupport
import Testing

/// A store that has lived for months: what its limits let go, and how it tells.
@Suite(.serialized) struct FleetRetentionTests {
  /// A fleet whose builds reported on days of the past, by the clock of those days.
  private struct History {
    let fleet: FleetFixture
    let store: [String]

    init() throws {
      fleet = try FleetFixture()
      store = ["--store", "sqlite:\(fleet.store)"]
      for (ago, builds) in [
        (100, ["aa", "bb"]), (60, ["bb", "cc"]), (20, ["dd"]), (3, ["bb"]), (2, ["bb"]),
        (1, ["bb"]),
      ] {
        // What nobody limits stays.
        let listener = try Listener(
          fleet, store, environment: try WrongClock.environment("-\(ago)d"))
        for build in builds {
          #expect(try send(build, from: ago, to: listener).contains(#""added":1"#))
        }
        try listener.daemon.stop()
      }
      #expect(try rows("SELECT count(*), count(DISTINCT build) FROM state") == "8|4")
    }

    /// Sends the run of a build that began so many days ago.
    func send(_ build: String, from ago: Int, to listener: Listener) throws -> String {
      try HostileScript.start(
        "post", [listener.url, listener.token, "4", "\(build) \(ago)"],
        environment: [
          "BUILD": String(repeating: build, count: 20),
          "STARTED": "\(Date().timeIntervalSince1970 - Double(ago) * 86400)",
        ]
      ).wait().output
    }

    func rows(_ sql: String) throws -> String {
      try Command.check(["sqlite3", "-readonly", fleet.store, sql])
        .trimmingCharacters(in: .newlines)
    }

    /// Waits until a pass is over.
    func hasPassed(_ listener: Listener) throws {
      try listener.daemon.command.wait {
        try Command.run([
          "curl", "-s", "-H", "Authorization: Bearer \(listener.token)", "\(listener.url)/metrics",
        ]).output.contains("firstlightd_store_bytes")
      }
    }

    /// What it answers.
    func ask(_ path: String, of listener: Listener) throws -> String {
      try Command.check([
        "curl", "-sf", "-H", "Authorization: Bearer \(listener.token)", listener.url + path,
      ])
    }
  }

  @Test func oldAndExcessEvidenceIsRemovedAndReported() throws {
    let history = try History()
    let listener = try Listener(
      history.fleet, history.store + ["--retain-days", "50", "--retain-builds", "1"])
    try listener.daemon.hasSaid("reason=retain-builds=1")
    // The day that three agree on is that of three days ago.
    let day = try Command.check(["date", "-u", "-d", "-53 days", "+%F"])
      .trimmingCharacters(in: .newlines)
    for words in ["what=days before \(day)", "what=server, build id aaaa"] {
      try listener.daemon.hasSaid(words)
    }
    #expect(
      try history.rows(
        """
        SELECT substr(build_id, 1, 2), count(*),
          min(state.day) > strftime('%s', 'now') / 86400 - 53,
          (SELECT count(*) FROM sampled_trace)
        FROM state JOIN build ON build.id = state.build GROUP BY build_id
        """) == "bb|3|1|3")
    #expect(try history.rows("SELECT count(*) FROM build") == "1")
    #expect(
      try history.rows("SELECT count(*) FROM audit WHERE what LIKE 'dropped % by retain-%'") == "5")
    // What was removed does not come back.
    #expect(try history.rows(FleetSQL.processes) == "3")
    #expect(try history.send("aa", from: 100, to: listener).contains(" was dropped up to "))
    #expect(try history.rows("SELECT count(*) FROM build") == "1")

    let lines = [
      "server (\(String(repeating: "b", count: 12))): before \(day) dropped by retain-days=50",
      "server (\(String(repeating: "d", count: 12))): before ",
    ]
    let list = try Command.check([
      Toolchain.firstlight, "fleet", "builds", "--from", "sqlite:\(history.fleet.store)",
    ])
    let page = try history.ask("/", of: listener)
    for line in lines {
      #expect(list.contains(line), "\(list)")
      #expect(page.contains(line))
    }
    #expect(list.contains(" dropped by retain-builds=1\n"))
    let told = try Command.check(
      [
        "python3", "-c",
        """
        import json, sys
        answer = json.load(sys.stdin)
        print(*[(b["buildID"][:2], b["droppedBefore"], b["droppedBy"]) for b in answer["builds"]])
        print(*sorted((b["buildID"][:2], b["by"]) for b in answer["dropped"]))
        """,
      ], input: history.ask("/v1/builds", of: listener))
    #expect(
      told == """
        ('bb', '\(day)', 'retain-days=50')
        ('aa', 'retain-days=50') ('cc', 'retain-days=50') ('dd', 'retain-builds=1')

        """)
    let build = try history.ask("/builds/" + String(repeating: "bb", count: 20), of: listener)
    #expect(build.contains("Evidence from before \(day) was removed by retain-days=50"))
    let metrics = try history.ask("/metrics", of: listener)
    #expect(metrics.contains("firstlightd_builds_dropped_total 3\n"))
    try listener.daemon.stop()

    // Who asks for functions that were never called hears it too.
    let dead = try Command.run([
      Toolchain.firstlight, "fleet", "dead", "--from", "sqlite:\(history.fleet.store)", "--all",
    ])
    #expect(dead.errors.contains("note: \(lines[0])\n"), "\(dead.errors)")
  }

  @Test func aStoreThatIsTooLargeLosesItsOldestDays() throws {
    let history = try History()
    let listener = try Listener(history.fleet, history.store + ["--retain-bytes", "1K"])
    try listener.daemon.hasSaid("store larger than retain-bytes")
    // What came in the last ten days stays, however large it is.
    #expect(
      try history.rows("SELECT DISTINCT substr(build_id, 1, 2) FROM build") == "bb")
    #expect(try history.rows("SELECT count(*) FROM state") == "3")
    #expect(try history.rows("PRAGMA freelist_count") == "0")
    try listener.daemon.stop()
  }

  @Test(arguments: ["+400d", "+4000d"])
  func aClockThatIsAheadRemovesNothing(offset: String) throws {
    let history = try History()
    for number in 1...2 {
      let listener = try Listener(
        history.fleet, history.store + ["--retain-days", "150", "--retain-builds", "5"],
        environment: try WrongClock.environment(offset))
      try history.hasPassed(listener)
      #expect(try history.send("ee", from: number, to: listener).contains(#""added":1"#))
      try listener.daemon.stop()
    }
    #expect(try history.rows("SELECT count(*), count(DISTINCT build) FROM state") == "10|5")
  }
}
