import Foundation
import TestSupport
import Testing

/// `firstlight timeline` on recordings of real programs.
@Suite(.tags(.compiler)) struct TimelineTests {
  private static let source = """
    #include <pthread.h>
    void early(void) {} void late(void) {}
    void *work(void *x) { return x; }
    int main(int n, char **v) {
      (void)v; early();
      pthread_t thread; pthread_create(&thread, 0, work, 0); pthread_join(thread, 0);
      if (n > 1) late();
      return 0;
    }
    """

  private func program() throws -> Fixture {
    try Fixture.c(Self.source, options: ["-O0", "-pthread"])
  }

  private func timeline(_ arguments: String...) throws -> CommandResult {
    try Command.run([Toolchain.firstlight, "timeline"] + arguments)
  }

  private struct Trace: Decodable {
    var traceEvents: [Event]

    struct Event: Decodable {
      var name, ph: String
      var pid, tid: Int
      var ts, dur: Double?
    }
  }

  @Test func guardsGiveMomentsInEveryForm() throws {
    let program = try program()
    let profile = try program.record("x")
    let text = try timeline(profile).output
    #expect(text.contains("4 first calls, 2 threads"))
    #expect(text.contains("Longest gaps without a new function"))
    #expect(text.contains("  main.c:2  early\n"))
    // The ending of the file's name says the form.
    let file = program.directory.path("trace.json")
    try #expect(timeline(profile, "-o", file).status == 0)
    let trace = try JSONDecoder().decode(Trace.self, from: Data(contentsOf: URL(filePath: file)))
    let calls = trace.traceEvents.filter { $0.ph == "i" }
    #expect(Set(calls.map(\.name)) == ["main", "early", "work", "late"])
    let work = try #require(calls.first { $0.name == "work" })
    let late = try #require(calls.first { $0.name == "late" })
    #expect(work.tid != work.pid && late.tid == late.pid)
    #expect(work.ts! <= late.ts!)
    let folded = try timeline(profile, "--format", "folded")
    #expect(folded.output.contains("program;program;late 1\n"))
    #expect(folded.errors.contains("stacks count first calls by module, not time"))
    let page = program.directory.path("page.html")
    try #expect(timeline(profile, "-o", page).status == 0)
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
  }

  /// What a tracer saw has durations and callers, and every form shows them.
  @Test func breakpointsGiveSpansInEveryForm() throws {
    let program = try Fixture.c(
      """
      #include <time.h>
      __attribute__((noinline)) void slow(void) {
        struct timespec left = {.tv_nsec = 30000000};
        while (nanosleep(&left, &left) != 0) {}
      }
      __attribute__((noinline)) void outer(void) { slow(); __asm__ volatile(""); }
      int main(void) { outer(); return 0; }
      """, options: ["-O1"], flags: Fixture.plain)
    let profile = program.directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "launch", "--runs", "1", "--profile", profile, "--", program.executable,
    ])
    let text = try timeline(profile).output
    for part in ["Stages\n", "relocating", "Initializers, slowest first", "Start-up tree"] {
      #expect(text.contains(part), "\(text)")
    }
    // Of the slow ones, what took the time itself comes first.
    let slowest = text.components(separatedBy: "Slowest first calls").last!
      .split(separator: "\n").dropFirst(2).first
    #expect(slowest?.hasSuffix("slow") == true, "\(text)")

    let file = program.directory.path("trace.json")
    try #expect(timeline(profile, "-o", file).status == 0)
    let trace = try JSONDecoder().decode(Trace.self, from: Data(contentsOf: URL(filePath: file)))
    func event(_ name: String) throws -> Trace.Event {
      try #require(trace.traceEvents.first { $0.name == name && $0.ph == "X" }, "no \(name)")
    }
    let (outer, slow) = try (event("outer"), event("slow"))
    // Scaled to the stages of other starts: by less than two.
    #expect(slow.dur! >= 15_000)
    #expect(outer.ts! <= slow.ts! && outer.ts! + outer.dur! >= slow.ts! + slow.dur!)
    #expect(outer.tid == slow.tid && outer.tid == outer.pid)

    let folded = try timeline(profile, "--format", "folded").output
    let line = try #require(folded.split(separator: "\n").first { $0.contains("outer;slow ") })
    #expect(Int(line.split(separator: " ").last!)! >= 15_000_000)
    let page = try timeline(profile, "--format", "html").output
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("slow"))
  }

  @Test func aStoredAccountIsShownWhole() throws {
    let profile = Toolchain.project.appending(path: "Tests/Fixtures/profiles/accounts.flp").path
    let rows = try Command.check(["sqlite3", profile, "SELECT count(*) FROM mark"])
    let result = try timeline(profile, "--process", "1", "--limit", "0")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("Stages"))
    #expect(Int(rows.trimmingCharacters(in: .whitespacesAndNewlines))! > 0)
    #expect(result.output.contains("Marks and spans"))
  }

  @Test func changesAreReported() throws {
    let program = try program()
    let (short, long) = try (program.record(), program.record("x"))
    let result = try timeline(long, "--against", short)
    #expect(result.output.contains("1 function new, 0 gone, 3 in both"))
    #expect(result.output.contains(/\n  late +program\n/))
    try #expect(timeline(long, "--against", short, "--format", "chrome").status == 64)
  }

  @Test func wrongInputEndsWithItsExitCode() throws {
    let program = try program()
    let (first, second) = try (program.record(), program.record())
    let merged = program.directory.path("all.flp")
    try Command.check([
      Toolchain.firstlight, "merge", first, second, "--max-traces", "1", "-o", merged,
    ])
    let several = try timeline(merged)
    #expect(several.status == 65)
    #expect(several.errors.contains("contains 2 runs"))
    let processes = try (1...2).map { try timeline(merged, "--process", "\($0)") }
    #expect(processes.map(\.status).sorted() == [0, 65])
    #expect(processes.contains { $0.errors.contains("a merge kept only its counts") })
    try #expect(timeline(first, "--process", "99").status == 65)
    try #expect(timeline(program.executable).status == 65)
    try #expect(timeline(program.directory.path("none.flp")).status == 66)
    try #expect(timeline(first, "-o", program.directory.path("none/x.html")).status == 73)
    let unknown = try timeline(first, "-o", program.directory.path("x.svg"))
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("unknown extension"))
    // Another program under another name.
    let other = try Fixture.c(
      "void alone(void) {} int begin(void) { alone(); return 0; }\nint main(void) { return begin(); }",
      options: ["-O0"])
    let renamed = other.directory.path("other")
    try FileManager.default.moveItem(atPath: other.executable, toPath: renamed)
    let foreign = other.directory.path("other.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", foreign, "--", renamed])
    let different = try timeline(foreign, "--against", first)
    #expect(different.status == 65)
    #expect(different.errors.contains("different programs: program and other"))
  }
}
