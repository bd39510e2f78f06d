import Foundation
import TestSupport
import Testing

/// `gate` on programs of which is known what became more expensive.
@Suite(.serialized, .tags(.compiler, .timing)) struct GateTests {
  struct Report: Decodable {
    struct Row: Decodable {
      var metric: String
      var old, new: [Double]
      var verdict: String?
    }
    struct Count: Decodable {
      var kind: String
      var old, new: Int
      var added: [String]
      var regression: Bool
    }
    var outcome: String
    var cold: Bool
    var metrics: [Row]
    var counts: [Count]
    var notes: [String]

    func row(_ metric: String) -> Row? { metrics.first { $0.metric == metric } }
    func count(_ kind: String) -> Count? { counts.first { $0.kind == kind } }
  }

  /// An initializer that computes for BURN milliseconds; with MORE there is a second one.
  private static let source = """
    #include <stdlib.h>
    #include <time.h>
    static double now(void) {
      struct timespec t;
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
      return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
    }
    __attribute__((constructor)) static void set_up(void) {
      for (double end = now() + BURN; now() < end;) {}
    }
    #ifdef MORE
    static volatile int more;
    __attribute__((constructor)) static void set_up_more(void) { more = 1; }
    #endif
    int main(int n, char **v) { return n > 1 ? atoi(v[1]) : 0; }
    """

  private func program(_ options: String..., link: [String] = []) throws -> Fixture {
    try Fixture.c(
      Self.source, options: ["-O1"] + (options.isEmpty ? ["-DBURN=0"] : options),
      flags: ["-fuse-ld=lld"], link: link)
  }

  private func gate(
    _ arguments: [String], status: Int32? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (status: Int32, report: Report) {
    let result = try Command.run(
      [Toolchain.firstlight, "gate", "--format", "json", "--runs", "10"] + arguments)
    if let status {
      #expect(
        result.status == status && !result.signalled, "\(result.output)\(result.errors)",
        sourceLocation: sourceLocation)
    }
    return (result.status, try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)))
  }

  private func baseline(_ program: Fixture, _ arguments: [String] = []) throws -> String {
    let path = program.directory.path("start.json")
    try Command.check(
      [Toolchain.firstlight, "gate", "--baseline", path, "--write-baseline", "--runs", "10"]
        + arguments + ["--", program.executable])
    return path
  }

  private func fails(_ arguments: [String], status: Int32, _ words: String...) throws {
    let result = try Command.run([Toolchain.firstlight, "gate"] + arguments)
    #expect(result.status == status && !result.signalled, "\(result.output)\(result.errors)")
    // What lasts is told of, too.
    let failures = result.errors.split(separator: "\n").count { $0.contains("firstlight: error: ") }
    #expect(failures == 1, "\(result.errors)")
    for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
  }

  @Test func bisectFindsTheCommitThatMadeTheInitializerSlow() throws {
    let directory = try TemporaryDirectory()
    let environment = [
      "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
      "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_NOSYSTEM": "1", "HOME": directory.url.path,
    ]
    func git(_ arguments: String...) throws -> String {
      try Command.check(["git"] + arguments, in: directory.url, environment: environment)
    }
    _ = try git("init", "-q")
    var culprit = ""
    for commit in 1...12 {
      var text = "#define BURN \(commit >= 8 ? 20 : 0)\n// Change \(commit)\n" + Self.source
      // One in between does not compile.
      if commit == 3 { text += "\nint broken(" }
      try directory.write(text, to: "main.c")
      _ = try git("add", "main.c")
      _ = try git("commit", "-q", "-m", "Change \(commit)")
      if commit == 8 { culprit = try git("rev-parse", "HEAD") }
      if commit == 1 {
        try Command.check(
          ["clang", "-O1", "-fuse-ld=lld", "main.c", "-o", "app.good"], in: directory.url)
      }
    }
    try directory.write(
      """
      clang -O1 -fuse-ld=lld main.c -o app 2>/dev/null || exit 125
      exec \(Toolchain.firstlight) gate --against ./app.good --max-regression 100% --runs 10 -- ./app
      """, to: "check.sh")
    _ = try git("bisect", "start", "HEAD", "HEAD~11")
    let said = try git("bisect", "run", "sh", "./check.sh")
    let hash = culprit.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(said.contains("\(hash) is the first bad commit"), "\(said)")
    #expect(said.contains("SLOWER"))
  }

  @Test func aProgramSetAgainstItselfIsNotSlower() throws {
    let program = try program("-DBURN=5")
    let path = try baseline(program)
    // Noise may keep it from telling; it must not make it cry wolf.
    for old in [["--baseline", path], ["--against", program.executable]] {
      #expect(try gate(old + ["--max-regression", "50%", "--", program.executable]).status != 1)
    }
  }

  @Test func additionsAreNamed() throws {
    let before = try program()
    let path = try baseline(before)
    let after = try program("-DBURN=0", "-DMORE", link: ["-Wl,--no-as-needed", "-lm"])
    let (_, report) = try gate(["--baseline", path, "--", after.executable], status: 1)
    #expect(report.outcome == "regression")
    #expect(report.count("shared libraries")?.added == ["libm.so.6"])
    #expect(report.count("shared libraries")?.regression == true)
    let initializers = try #require(report.count("initializers"))
    #expect(initializers.regression && initializers.added.contains("set_up_more in program"))
    #expect(!initializers.added.contains("set_up in program"))
    let text = try Command.run(
      [Toolchain.firstlight, "gate", "--baseline", path, "--", after.executable])
    #expect(text.output.contains("REGRESSION") && text.output.contains("NEW: libm.so.6"))
  }

  @Test func moreFaultsAndMoreRelocationsFail() throws {
    let source = """
      static char pages[4096 * 400];
      #define P pages + __COUNTER__
      #define P8 P, P, P, P, P, P, P, P
      #define P64 P8, P8, P8, P8, P8, P8, P8, P8
      char *table[] = {P
      #if MANY
      , P64, P64, P64, P64, P64, P64, P64, P64
      #endif
      };
      int main(void) {
        for (int i = 0; i < TOUCHED; i++) pages[i * 4096] = 1;
        return table[0] == 0;
      }
      """
    func build(_ options: String...) throws -> Fixture {
      try Fixture.c(source, options: ["-O1"] + options, flags: ["-fuse-ld=lld"])
    }
    let before = try build("-DTOUCHED=1", "-DMANY=0")
    let path = try baseline(before)
    let faults = try build("-DTOUCHED=300", "-DMANY=0")
    let touching = try gate(["--baseline", path, "--", faults.executable], status: 1).report
    #expect(touching.row("minorFaults")?.verdict == "higher")
    #expect(touching.count("relocations")?.regression == false)
    let many = try build("-DTOUCHED=1", "-DMANY=1")
    let relocating = try gate(["--baseline", path, "--", many.executable], status: 1).report
    let relocations = try #require(relocating.count("relocations"))
    #expect(relocations.regression && relocations.added == ["512 in program"])
    #expect(relocations.new - relocations.old == 512)
  }

  /// Files are read from the disk anew each time, which only a file system on one can show.
  @Test func aColdStartReadsTheFiles() throws {
    let disk = Toolchain.products.appending(path: "gate-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: disk) }
    let kind = try Command.check(["stat", "-f", "-c", "%T", disk.path])
    if ["tmpfs\n", "ramfs\n"].contains(kind) {
      try Test.cancel("\(disk.path) is in memory: nothing starts cold")
    }
    let program = try program("-DBURN=0", "-static")
    let app = disk.appending(path: "app").path
    try ProgramFile.copy(program.executable, to: app)
    try Command.check(["sync", app])
    let path = disk.appending(path: "start.json").path
    try Command.check(
      [Toolchain.firstlight, "gate", "--baseline", path, "--write-baseline", "--runs", "10"]
        + ["--cold", "--", app])
    let same = try gate(["--baseline", path, "--max-regression", "100%", "--", app])
    #expect(same.report.cold)
    let cold = try #require(same.report.row("majorFaults"))
    #expect((cold.old + cold.new).allSatisfy { $0 >= 1 })
    let warm = try gate(["--against", app, "--max-regression", "100%", "--", app])
    #expect(!warm.report.cold)
    #expect(try #require(warm.report.row("majorFaults")).new.contains(0))
  }

  @Test func onAnotherMachineCountsAreJudgedAndTimesAreNot() throws {
    let before = try program()
    let path = try baseline(before)
    var text = try String(contentsOfFile: path, encoding: .utf8)
    text.replace(/"processor" : ".*"/, with: "\"processor\" : \"Another\"")
    text.replace(/"kernel" : ".*"/, with: "\"kernel\" : \"Linux 2.6\"")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let slow = try program("-DBURN=50")
    let (_, report) = try gate(["--baseline", path, "--", slow.executable], status: 0)
    #expect(report.row("milliseconds")?.verdict == nil)
    #expect(report.notes.contains { $0.contains("kernel") && $0.contains("was Another") })
    let more = try program("-DBURN=0", "-DMORE")
    _ = try gate(["--baseline", path, "--", more.executable], status: 1)
    // The old binary itself makes up for the machine.
    _ = try gate(
      ["--baseline", path, "--against", before.executable, "--", slow.executable], status: 1)
  }

  @Test func aFallenHitRateFails() throws {
    let source = """
      #define F(n) __attribute__((noinline)) int f##n(int x) { return x * n; }
      F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8)
      int main(int n, char **v) { return f1(f2(f3(f4(f5(f6(f7(f8(0)))))))); }
      """
    let directory = try TemporaryDirectory()
    let order = try directory.write((1...8).reversed().map { "f\($0)\n" }.joined(), to: "order")
    func build(_ link: [String]) throws -> Fixture {
      try Fixture.c(
        source, options: ["-O1", "-ffunction-sections"], flags: ["-fuse-ld=lld"], link: link)
    }
    let before = try build(["-Wl,--symbol-ordering-file=\(order)"])
    let path = try baseline(before, ["--order", order])
    let after = try build([])
    let result = try Command.run(
      [Toolchain.firstlight, "gate", "--baseline", path, "--", after.executable])
    #expect(result.status == 1)
    let line = result.output.split(separator: "\n").first { $0.hasPrefix("order hit rate") }
    #expect(line?.contains("100.0%") == true && line?.contains("LOWER") == true, "\(result.output)")
  }

  @Test func failuresAreNoVerdicts() throws {
    let program = try program()
    let path = try baseline(program)
    let app = program.executable
    let directory = program.directory
    try fails(["--", app], status: 192, "--baseline")
    try fails(["--baseline", path], status: 192, "nothing to start")
    try fails(["--baseline", path, "--runs", "3", "--", app], status: 192, "--runs")
    try fails(["--baseline", directory.path("none"), "--", app], status: 194, "No such file")
    try fails(["--baseline", path, "--", directory.path("none")], status: 194, "none")
    try fails(["--baseline", path, "--", app, "0"], status: 193, "other arguments")
    try fails(["--baseline", path, "--until", "ready", "--", app], status: 193, "until exit")
    try fails(["--baseline", path, "--cold", "--", app], status: 193, "measured warm")
    let script = try directory.write("#!/bin/sh\n", to: "script")
    try fails(["--baseline", path, "--", script], status: 193, "a script for /bin/sh")
    for (text, word) in [
      ("{}", "not a start-up baseline"), ("{\"firstlightStartup\": 9}", "format 9"),
      ("{\"firstlightStartup\": 2}", "damaged"), ("", "not a start-up baseline"),
    ] {
      let file = try directory.write(text, to: "bad.json")
      try fails(["--baseline", file, "--", app], status: 193, word)
    }
    var negative = try String(contentsOfFile: path, encoding: .utf8)
    negative.replace(/"program" : [0-9]+/, with: "\"program\" : -5")
    let file = try directory.write(negative, to: "negative.json")
    try fails(["--baseline", file, "--", app], status: 193, "relocations")
    let crash = try Fixture.c(
      "int main(void) { __builtin_trap(); }", flags: ["-fuse-ld=lld"])
    try fails(["--baseline", path, "--", crash.executable], status: 193, "killed by signal")
    let other = try Fixture.c("int main(void) { return 3; }", flags: ["-fuse-ld=lld"])
    try fails(["--baseline", path, "--", other.executable], status: 193, "exit status 3")
  }
}
