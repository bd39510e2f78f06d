import Foundation
import TestSupport
import Testing

/// Threads wait for each other and for the tracer, and only the first is the program's own time: what is
/// said of a program with several threads is held against its starts without a tracer.
@Suite(.tags(.compiler, .timing)) struct LaunchThreadsTests {
  /// Six threads with 200 first calls each, some microseconds long; main joins them.
  private static let six: String = {
    var source = """
      #include <pthread.h>
      static volatile unsigned long sink;
      #define F(T, N) __attribute__((noinline)) static void f##T##_##N(void) { \\
        unsigned long s = N; \\
        for (int i = 0; i < 5000; i++) { \\
          s = s * 2862933555777941757ul + 3037000493ul; __asm__ volatile("" :: "r"(s)); } \\
        sink = s; }

      """
    for thread in 0..<6 {
      for index in 0..<200 { source += "F(\(thread), \(index))\n" }
      source += "static void *worker\(thread)(void *none) {\n"
      for index in 0..<200 { source += "f\(thread)_\(index)();" }
      source += "return none; }\n"
    }
    return source + """
      int main(void) {
        static void *(*const workers[])(void *) = {
          worker0, worker1, worker2, worker3, worker4, worker5};
        pthread_t threads[6];
        for (int i = 0; i < 6; i++) pthread_create(&threads[i], 0, workers[i], 0);
        for (int i = 0; i < 6; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """
  }()

  /// A thread that is being made while the program is let go stopped once more, and nobody let it go on.
  @Test func aProgramThatMakesThreadsWhileItIsEndedEnds() throws {
    let program = try Fixture.c(
      """
      #include <pthread.h>
      #include <unistd.h>
      static void *nothing(void *none) { return none; }
      static void *maker(void *none) {
        for (;;) {
          pthread_t thread;
          if (pthread_create(&thread, 0, nothing, 0) == 0) pthread_detach(thread);
        }
        return none;
      }
      int main(void) {
        pthread_t thread;
        for (int i = 0; i < 3; i++) pthread_create(&thread, 0, maker, 0);
        pause();
      }
      """, options: ["-O1", "-pthread"], flags: Fixture.plain)
    for _ in 0..<6 {
      let ended = try Command.run([
        "timeout", "-s", "KILL", "60", Toolchain.firstlight, "launch", "--no-calls", "--runs", "2",
        "--until", "30ms", "--", program.executable,
      ])
      #expect(ended.status == 0, "\(ended.errors)")
    }
  }

  @Test func timesOfAThreadPoolAreThoseOfItsUntracedStarts() throws {
    let program = try Fixture.c(
      Self.six, options: ["-O1", "-pthread"], flags: Fixture.plain)
    let profile = program.directory.path("six.flp")
    let account = try program.launch(["--profile", profile])
    let starts = account.starts.map { Double($0.duration) }.sorted()
    let main = try account.call("main")
    let end = Double(main.time + (try #require(main.duration)))
    // The tracer held the threads for longer than the program runs: what is shown is the untraced time, and
    // lies within those starts, but for the stops that mark stages and what the machine does beside them.
    #expect(end > 0.8 * starts[0] && end < 1.5 * starts.last!, "\(end) ns, starts \(starts)")
    let calls = try #require(account.calls)
    for thread in 0..<6 {
      let worker = try #require(calls.firstIndex { $0.name == "worker\(thread)" })
      let inner = calls.filter { $0.parent == worker && $0.name.hasPrefix("f") }
      #expect(inner.count == 200)
      // Calls lie within what called them, and within the program's time.
      for call in inner {
        #expect(call.time >= calls[worker].time)
        #expect(Double(call.time + (call.duration ?? 0)) <= end)
      }
    }

    // Text and trace draw the same times, and say what was done to them.
    let text = try Command.check([Toolchain.firstlight, "timeline", profile, "--limit", "3"])
    #expect(text.contains("Times are scaled"))
    #expect(!text.contains("shortened to fit into the caller"))
    let trace = program.directory.path("trace.json")
    try Command.check([Toolchain.firstlight, "timeline", profile, "-o", trace])
    let drawn = try JSONDecoder().decode(Trace.self, from: Data(contentsOf: URL(filePath: trace)))
    #expect(drawn.otherData["notes"]?.contains("Times are scaled") == true)
    let event = try #require(
      drawn.traceEvents.first { $0.name == "main" && $0.cat == "first call" })
    #expect(abs((event.dur ?? 0) * 1000 - Double(main.duration!)) < 1000)
  }

  private struct Trace: Decodable {
    var traceEvents: [Event]
    var otherData: [String: String]

    struct Event: Decodable {
      var name, ph: String
      var cat: String?
      var dur: Double?
    }
  }

  @Test func waitingForADispatchGroupIsAsLongAsInUntracedStarts() throws {
    let functions = (0..<150).map {
      "@inline(never) func work\($0)(_ n: Int) -> Int { (0..<n).reduce(\($0)) { $0 &* 31 &+ $1 } }"
    }.joined(separator: "\n")
    let jobs = (0..<6).map { job in
      "queue.async(group: group) { sums.add("
        + (0..<25).map { "work\(job * 25 + $0)(n)" }.joined(separator: " &+ ") + ") }"
    }.joined(separator: "\n")
    let program = try Fixture.swift(
      """
      import Dispatch
      \(functions)
      final class Sums: @unchecked Sendable {
        private let lock = DispatchQueue(label: "lock")
        private var sum = 0
        func add(_ more: Int) { lock.sync { sum &+= more } }
      }
      let n = 2000 * CommandLine.arguments.count
      let sums = Sums()
      let queue = DispatchQueue(label: "work", attributes: .concurrent)
      let group = DispatchGroup()
      \(jobs)
      group.wait()
      """, flags: Fixture.plainSwift)
    let account = try program.launch()
    let main = try account.call("main")
    let duration = Double(try #require(main.duration))
    // The stage that it fills is measured in starts that run untraced from `main` on.
    let stages = account.watched.compactMap { start in
      start.record.stages.first { $0.kind == "main" }.map { Double($0.duration) }
    }.sorted()
    #expect(
      duration <= stages.last! && duration > 0.8 * stages[0], "main \(duration) ns of \(stages)")
  }

  @Test func aThreadThatSleepsSleepsAsLongAsItDid() throws {
    let functions = (0..<300).map {
      "__attribute__((noinline)) static void f\($0)(void) { __asm__ volatile(\"\"); }"
    }.joined(separator: "\n")
    let program = try Fixture.c(
      """
      #include <pthread.h>
      #include <unistd.h>
      \(functions)
      __attribute__((noinline)) static void sleeper(void) { usleep(50000); __asm__ volatile(""); }
      static void *sleeping(void *none) { sleeper(); return none; }
      static void *busy(void *none) { \((0..<300).map { "f\($0)();" }.joined()) return none; }
      int main(void) {
        pthread_t threads[2];
        pthread_create(&threads[0], 0, sleeping, 0);
        pthread_create(&threads[1], 0, busy, 0);
        pthread_join(threads[0], 0);
        pthread_join(threads[1], 0);
        return 0;
      }
      """, options: ["-O1", "-pthread"], flags: Fixture.plain)
    let account = try program.launch(["--runs", "3"])
    let slept = try account.call("sleeper")
    // On a busy machine, the other thread's stops make `main` wait longer than the sleep, and times are scaled
    // down: the document says by how much.
    let scale = min(1, try #require(account.scale))
    #expect(Double(try #require(slept.duration)) >= 49_000_000 * scale)
    let main = try account.call("main")
    #expect(main.time + main.duration! >= slept.time + slept.duration!)
  }

  @Test func aProgramFindsTheProcessorsThatItHas() throws {
    let program = try Fixture.c(
      """
      #define _GNU_SOURCE
      #include <pthread.h>
      #include <sched.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      static void say(const char *who) {
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        FILE *said = fopen(getenv("SAID"), "a");
        fprintf(said, "%s %d\\n", who, CPU_COUNT(&set));
        fclose(said);
      }
      static void *work(void *none) { say("thread"); return none; }
      int main(void) {
        pthread_t thread;
        say("main");
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_setaffinity(0, sizeof one, &one);
        say("bound");
        return 0;
      }
      """, options: ["-O1", "-pthread"], flags: Fixture.plain)
    let file = program.directory.path("said")
    _ = try program.launch(["--runs", "1"], environment: ["SAID": file])
    let untraced = program.directory.path("untraced")
    try Command.check([program.executable], environment: ["SAID": untraced])
    func said(_ path: String) throws -> Set<Substring> {
      Set(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n"))
    }
    let all = try said(file)
    #expect(all == (try said(untraced)), "\(all)")
  }

  /// Coroutines that have not ended stay below a call of theirs; the thread's own calls do not.
  @Test func callsOfOtherStacksEncloseNoneOfTheThreadsOwn() throws {
    let program = try Fixture.c(
      """
      #include <stdlib.h>
      #include <sys/mman.h>
      #include <ucontext.h>
      static ucontext_t home, inside;
      __attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
      __attribute__((noinline)) void middle(void) { leaf(); swapcontext(&inside, &home); leaf(); }
      void body(void) { middle(); for (;;) swapcontext(&inside, &home); }
      __attribute__((noinline)) void around(void) { swapcontext(&home, &inside); __asm__ volatile(""); }
      __attribute__((noinline)) void later(void) { __asm__ volatile(""); }
      __attribute__((noinline)) void at_end(void) { __asm__ volatile(""); }
      int main(void) {
        atexit(at_end);
        getcontext(&inside);
        inside.uc_stack.ss_size = 1 << 16;
        inside.uc_stack.ss_sp =
            mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        makecontext(&inside, body, 0);
        around();
        later();
        return 0;
      }
      """, options: ["-O1"], flags: Fixture.plain)
    let account = try program.launch(["--runs", "1"])
    #expect(try account.parent("body") == "around")
    #expect(try account.parent("middle") == "body")
    #expect(try account.parent("leaf") == "middle")
    #expect(try account.parent("later") == "main")
    #expect(try account.call("around").ending == "returned")
    #expect(try account.call("main").ending == "returned")
    #expect(try ["_start", nil].contains(account.parent("at_end")))
    #expect(try ["_start", nil].contains(account.parent("_fini")))
  }
}
