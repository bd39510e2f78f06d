import Foundation
import TestSupport
import Testing

/// Optimized builds with the compiler's counters in a fleet. Oracles: `record` and `merge` of the same runs, llvm-cov,
/// and what the programs do.
@Suite(
  .serialized, .tags(.compiler),
  .enabled(if: ProgramTarget.isNative, "clang builds for the machine"))
struct FleetCounterTests {
  private let directory: TemporaryDirectory
  private let spool: String
  private let store: String

  init() throws {
    directory = try TemporaryDirectory()
    (spool, store) = (directory.path("spool"), directory.path("fleet.sqlite"))
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
  }

  private var from: [String] { ["--from", "sqlite:\(store)"] }

  private func build(_ source: String, named name: String, isCounted: Bool = true) throws -> String
  {
    let file = try directory.write(source, to: name)
    let tool = name.hasSuffix(".swift") ? "swiftc" : "clang"
    let program = directory.path("program")
    try Command.check(
      [tool, "-g", tool == "clang" ? "-O2" : "-O", file, "-o", program]
        + Toolchain.words(["flags", tool] + (isCounted ? ["--counters"] : [])))
    return program
  }

  private func run(_ words: [String], in spool: String? = nil) throws {
    _ = try Command.run(words, environment: ["FIRSTLIGHT_DIR": spool ?? self.spool])
  }

  /// Runs, keeps a profile of just that run, and leaves its files in the spool.
  private func runAndRecord(_ words: [String], number: Int) throws -> String {
    let own = directory.path("run-\(number)")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    try run(words, in: own)
    let profile = directory.path("run-\(number).flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--directory", own])
    for name in try FileManager.default.contentsOfDirectory(atPath: own) {
      try FileManager.default.moveItem(atPath: "\(own)/\(name)", toPath: "\(spool)/\(name)")
    }
    return profile
  }

  private struct Row: Hashable {
    var name, verdict, file: String
    var line, calledRuns, watchedRuns: Int
  }

  private static func rows(_ document: DeadDocument) -> [Row] {
    document.functions.map {
      Row(
        name: $0.mangledName, verdict: $0.verdict, file: $0.file ?? "", line: $0.line ?? 0,
        calledRuns: $0.calledRuns, watchedRuns: $0.watchedRuns)
    }
  }

  private func fleetRows(_ source: [String], status: Int32 = 0) throws -> [Row] {
    let result = try Command.run(
      [Toolchain.firstlight, "fleet", "dead", "--all", "--format", "json"] + source)
    #expect(result.status == status, "\(result.errors)")
    return Self.rows(
      try JSONDecoder().decode(DeadDocument.self, from: Data(result.output.utf8)))
  }

  private func never(_ rows: [Row]) -> Set<String> {
    Set(rows.lazy.filter { $0.verdict == "never called" }.map(\.name))
  }

  private static let swift = """
    struct Box<T> { var v: T
      func get() -> T { v }
      func never() -> T { v }
    }
    @inline(__always) func tiny(_ x: Int) -> Int { x &+ 1 }
    func small(_ x: Int) -> Int { x &* 3 }
    private func neverSmall(_ x: Int) -> Int { x &* 5 }
    public func neverPublic(_ x: Int) -> Int { x &* 7 }
    class C { var with = { 5 }(); func m() -> Int { 4 }; var computed: Int { 3 } }
    let n = CommandLine.arguments.count
    if n > 5 { print(neverSmall(n), Box(v: 3).never(), C().computed, neverPublic(n)) }
    if n == 2 { print(small(n)) }
    print(Box(v: n).get(), tiny(n), C().m(), [1].map { $0 + n })
    """

  @Test func aFleetsListIsThatOfMergedRecordings() throws {
    let program = try build(Self.swift, named: "main.swift")
    let profiles = try [[], ["1"], [], ["1", "2"]].enumerated().map {
      try runAndRecord([program] + $1, number: $0)
    }
    let merged = directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", "-o", merged] + profiles)
    let expected = Self.rows(try Answer.dead([merged, "--all"]))
    #expect(expected.count { $0.verdict == "never called" } >= 4)

    let daemon = try Daemon([
      "--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try daemon.hasTaken(4)
    try daemon.waits(for: "2", from: "SELECT count(*) FROM function_table", in: store)
    for source in [from, ["--from", url]] { #expect(try fleetRows(source) == expected) }
    let own = directory.path("own.flp")
    try Command.check(["curl", "-sf", "\(url)/v1/profile?program=program", "-o", own])
    #expect(Self.rows(try Answer.dead([own, "--all"])) == expected)
    let answer = try Command.check(["curl", "-sf", "\(url)/v1/dead?format=json&program=program"])
    let listed = try JSONDecoder().decode(DeadDocument.self, from: Data(answer.utf8))
    #expect(Set(Self.rows(listed).map(\.name)).isSuperset(of: never(expected)))
    let orders = try [["fleet", "order"] + from, ["order", merged]].map {
      try Command.check([Toolchain.firstlight] + $0)
    }
    #expect(orders[0] == orders[1])
    // Counters are no build of their own.
    let builds = try Command.check(
      [Toolchain.firstlight, "fleet", "builds", "--format", "json"] + from)
    #expect(builds.ranges(of: "\"recorder\"").count == 1 && !builds.contains("counters"))
    try daemon.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [".firstlightd"])
    let id = try #require(try Answer.info(merged).builds.first?.buildID)
    try Command.check([Toolchain.firstlight, "fleet", "forget", "--build-id", id] + from)
    #expect(try Command.check(["sqlite3", store, "SELECT count(*) FROM build"]) == "0\n")
  }

  /// Profiles carry what each of their processes counted: their upload makes the same list as a spool.
  @Test func uploadedProfilesCountAsTheSpoolDoes() throws {
    let program = try build(Self.swift, named: "main.swift")
    let profiles = try [[], ["1"], ["1", "2"]].enumerated().map {
      try runAndRecord([program] + $1, number: $0)
    }
    let merged = directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", "-o", merged] + profiles)
    let expected = Self.rows(try Answer.dead([merged, "--all"]))
    #expect(expected.count { $0.verdict == "never called" } >= 4)
    let sums = """
      SELECT recorder, guards, sum(state.runs), sum(program_runs), sum(processes)
      FROM state JOIN build ON build.id = build GROUP BY 1, 2 ORDER BY 1
      """
    let host = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
    try host.hasTaken(3)
    try host.waits(for: "2", from: "SELECT count(*) FROM function_table", in: store)
    try host.stop()
    #expect(try fleetRows(from) == expected)
    for (number, sent) in [profiles, [merged]].enumerated() {
      let other = directory.path("uploaded-\(number).sqlite")
      let daemon = try Daemon(["--store", "sqlite:\(other)", "--listen", "127.0.0.1:0"])
      let url = "http://127.0.0.1:\(try daemon.port())"
      try Command.check([Toolchain.firstlight, "upload", "--to", url] + sent)
      try Command.check([Toolchain.firstlight, "upload-symbols", program, "--to", url])
      try daemon.waits(for: "2", from: "SELECT count(*) FROM function_table", in: other)
      #expect(try fleetRows(["--from", url]) == expected)
      try daemon.stop()
      let counted = try [store, other].map { try Command.check(["sqlite3", $0, sums]) }
      #expect(counted[0] == counted[1] && counted[0].contains("counters|"))
    }
  }

  /// Functions 0 to 9: each way to live and die calls one; a child calls 5 when its parent's end was seen. None calls 9.
  private static let lives = """
    #define _GNU_SOURCE
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static volatile int sink;
    \((0..<10).map { "static inline void f\($0)(void) { sink += \($0); }" }.joined(separator: "\n"))
    int main(int count, char **words) {
      const char *way = count > 1 ? words[1] : "";
      f0();
      if (!strcmp(way, "kill")) { f1(); raise(SIGKILL); }
      if (!strcmp(way, "exit")) { f2(); _exit(0); }
      if (!strcmp(way, "exec")) { f3(); execl(words[0], words[0], "exit", (char *)0); }
      if (!strcmp(way, "fork")) { if (fork() == 0) { f4(); _exit(0); } wait(0); }
      if (!strcmp(way, "leave")) {
        if (fork() == 0) {
          while (access(words[2], F_OK) != 0) usleep(1000);
          f5();
          _exit(0);
        }
      }
      if (!strcmp(way, "vfork")) { if (vfork() == 0) { f6(); _exit(0); } wait(0); }
      if (count > 100) f9();
      return 0;
    }
    """

  @Test func everyWayToLiveAndDieIsCounted() throws {
    let program = try build(Self.lives, named: "main.c")
    let ways = ["", "kill", "exit", "exec", "fork", "vfork"]
    let profiles = try ways.enumerated().map { try runAndRecord([program, $1], number: $0) }
    let merged = directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", "-o", merged] + profiles)
    let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
    // exec keeps the process, but begins a recording.
    try daemon.waits(for: "8", from: FleetSQL.processes, in: store)
    try daemon.waits(for: "2", from: "SELECT count(*) FROM function_table", in: store)
    let rows = try fleetRows(from)
    #expect(never(rows) == ["f5", "f7", "f8", "f9"])
    #expect(never(rows) == never(Self.rows(try Answer.dead([merged, "--all"]))))
    let called = Dictionary(rows.map { ($0.name, $0.calledRuns) }, uniquingKeysWith: max)
    #expect(called["f0"] == 7 && called["f2"] == 2 && called["f1"] == 1)
    try daemon.stop()
  }

  /// The child counts in a file of its parent, which has ended long ago.
  @Test func aChildThatOutlivesItsParentIsCounted() throws {
    let program = try build(Self.lives, named: "main.c")
    let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
    try daemon.hasSaid("[Collector] started")
    let sign = directory.path("sign")
    try Command.check(
      Watched.handingDownNothing + ["sh", "-c", "exec \(program) leave \(sign) >&- 2>&-"],
      environment: ["FIRSTLIGHT_DIR": spool])
    // A later process is counted, so a pass has looked at this one.
    try run([program, "exit"])
    try daemon.hasTaken(1)
    try run([program, "exit"])
    try daemon.hasTaken(2)
    #expect(Daemon.sum(of: "collected", "processes=", in: daemon.command.output) == 2)
    try "".write(toFile: sign, atomically: true, encoding: .utf8)
    try daemon.hasTaken(4)
    try daemon.waits(for: "2", from: "SELECT count(*) FROM function_table", in: store)
    try daemon.waits(for: "4", from: FleetSQL.processes, in: store)
    let rows = try fleetRows(from)
    #expect(rows.first { $0.name == "f5" }?.verdict == "called")
    #expect(rows.first { $0.name == "f9" }?.watchedRuns == 3)
    try daemon.stop()
  }

  /// What is damaged is kept for people; the guards beside it count.
  @Test(arguments: ["cut", "foreign", "forged"]) func badCountersAreQuarantined(how: String) throws
  {
    let program = try build(Self.lives, named: "main.c")
    try run([program, "exit"])
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: spool).first { $0.hasSuffix(".counters") })
    let url = URL(filePath: "\(spool)/\(name)")
    var bytes = try Data(contentsOf: url)
    switch how {
    case "cut": bytes = bytes.prefix(200)
    case "foreign": bytes[140] ^= 1  // in the build id, behind 16 words and a length
    // The first record's way to its counter.
    default: bytes[bytes.startIndex + 128 + 32 + 23] ^= 0x40
    }
    try bytes.write(to: url)
    try run([program, "kill"])
    let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
    try daemon.hasTaken(2)
    try daemon.hasSaid("recording quarantined")
    try daemon.waits(for: "2", from: "SELECT count(*) FROM function_table", in: store)
    try daemon.waits(for: "2", from: FleetSQL.processes, in: store)
    let rows = try fleetRows(from, status: 3)
    #expect(rows.first { $0.name == "f1" }?.verdict == "called")
    let f9 = try #require(rows.first { $0.name == "f9" })
    #expect(f9.verdict == "never called" && f9.watchedRuns == 1)
    let text = try Command.run([Toolchain.firstlight, "fleet", "dead"] + from).output
    #expect(text.contains("the counters of 1 run are missing"), "\(text)")
    try daemon.stop()
    let kept = try FileManager.default.contentsOfDirectory(
      atPath: spool + "/.firstlightd/quarantine")
    #expect(kept.contains(name))
  }

  @Test func aDaemonKilledAtAnyPointCountsEachRunOnce() throws {
    let program = try build(Self.lives, named: "main.c")
    let ways = ["", "kill", "exit", "fork", "vfork"]
    for round in 0..<6 {
      for way in ways { try run([program, way]) }
      let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
      // Killed after so many lines of its log, the last time not at all.
      try daemon.command.waitForOutput { $0.split(separator: "\n").count >= round % 3 ? true : nil }
      if round < 5 {
        try daemon.kill()
      } else {
        try daemon.waits(for: "36", from: FleetSQL.processes, in: store)
        try daemon.waits(for: "2", from: "SELECT count(*) FROM function_table", in: store)
        try daemon.stop()
      }
    }
    let rows = try fleetRows(from)
    let counts = Dictionary(rows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    #expect(counts["f0"]?.calledRuns == 30 && counts["f0"]?.watchedRuns == 30)
    for name in ["f1", "f2", "f4", "f6"] { #expect(counts[name]?.calledRuns == 6, "\(name)") }
    #expect(counts["f9"]?.calledRuns == 0 && counts["f9"]?.watchedRuns == 30)
  }

  /// Breakpoints, as of windows, number the functions of the same binary on their own.
  @Test func recordingsByBreakpointsAddUpWithCounters() throws {
    let program = try build(
      """
      static volatile int sink;
      static inline int small(int x) { return x + 1; }
      static inline int neverSmall(int x) { return x * 3; }
      __attribute__((noinline)) void watched(void) { sink += 7; }
      __attribute__((noinline)) void never(void) { sink += 9; }
      int main(int count, char **words) {
        sink = small(count);
        if (count == 2) watched();
        if (count == 9) { never(); sink = neverSmall(count); }
        return 0;
      }
      """, named: "main.c")
    let counted = try runAndRecord([program], number: 0)
    let watched = directory.path("watched.flp")
    try Command.check(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", watched, "--", program, "1"])
    let daemon = try Daemon([
      "--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try daemon.hasTaken(1)
    try Command.check([Toolchain.firstlight, "upload", watched, "--to", url])
    try Command.check([Toolchain.firstlight, "upload-symbols", program, "--to", url])
    try daemon.waits(for: "3", from: "SELECT count(*) FROM function_table", in: store)
    let rows = try fleetRows(from)
    #expect(never(rows) == ["never", "neverSmall"])
    #expect(never(rows) == never(Self.rows(try Answer.dead([counted, watched, "--all"]))))
    #expect(rows.first { $0.name == "watched" }?.calledRuns == 1)
    try daemon.stop()
  }
}
