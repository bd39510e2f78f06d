import Foundation
import TestSupport
import Testing

/// `launch` names what a start-up spends its time on, with the right size: measured by the programs
/// themselves.
@Suite(.tags(.compiler)) struct LaunchTests {
  /// Its initializers and its main say on a file how long they took.
  private static let slow = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <time.h>
    #include <unistd.h>
    static long long now(void) {
      struct timespec at;
      clock_gettime(CLOCK_MONOTONIC, &at);
      return at.tv_sec * 1000000000ll + at.tv_nsec;
    }
    __attribute__((constructor(101))) static void first_of_all(void) { __asm__ volatile(""); }
    __attribute__((constructor(102))) static void sleeper(void) {
      usleep(50000);
    }
    __attribute__((constructor(103))) static void toucher(void) {
      volatile char *pages =
          mmap(0, 100 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      madvise((void *)pages, 100 * 4096, MADV_NOHUGEPAGE);
      for (int i = 0; i < 100; i++) pages[i * 4096] = 1;
    }
    int main(void) {
      long long start = now();
      usleep(250000);
      FILE *file = fopen(getenv("SAID"), "a");
      fprintf(file, "%lld\\n", now() - start);
      return 0;
    }
    """

  @Test(arguments: [[], ["-static"], ["-static-pie", "-fPIE"]])
  func initializersAreNamedWithTheirTimeAndFaults(link: [String]) throws {
    let program = try Fixture.c(Self.slow, flags: Fixture.plain, link: link)
    let file = program.directory.path("said")
    let starts = 5
    let account = try program.launch(["--runs", "\(starts)"], environment: ["SAID": file])
    let ran = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .map { Double($0)! }
    #expect(account.watched.count == starts)
    var shares: [Double] = []
    var mains: [Double] = []
    for start in account.detailed {
      let runs = Dictionary(
        start.initializers.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
      let stage = try #require(start.stages.first { $0.kind == "initializers" }).duration
      shares.append(Double(try #require(runs["sleeper"]?.duration)) / Double(stage))
      // The program's own page tables and the function itself add a few.
      #expect((100...110).contains(try #require(runs["toucher"]).minorFaults))
      let order = start.initializers.map(\.name).filter {
        ["first_of_all", "sleeper", "toucher"].contains($0)
      }
      #expect(order == ["first_of_all", "sleeper", "toucher"])
      mains.append(Double(try #require(start.stages.first { $0.kind == "main" }).duration))
    }
    // Both are scaled by one factor, which is large on a busy machine, so only their ratio is certain.
    #expect(shares.max()! > 0.5 && shares.max()! < 1.001)
    #expect(mains.min()! > ran.min()! * 0.98 && mains.min()! < ran.max()! * 1.02)
    #expect(account.initializers.first?.name == "sleeper")
  }

  @Test func stagesLeaveNoGap() throws {
    let program = try Fixture.c(Self.slow, flags: Fixture.plain)
    let account = try program.launch(
      ["--runs", "4", "--no-calls"], environment: ["SAID": "/dev/null"])
    var sums: [Double] = []
    for start in account.watched {
      let stages = start.record.stages
      #expect(stages.map(\.kind) == ["exec", "mapping", "relocating", "initializers", "main"])
      for (stage, next) in zip(stages, stages.dropFirst()) {
        #expect(stage.start + stage.duration == next.start)
      }
      sums.append(Double(stages.reduce(0) { $0 + $1.duration }))
    }
    #expect(
      account.detailed.allSatisfy { $0.images.contains { $0.path.hasSuffix("/libc.so.6") } })
    // The least of each: what else the machine does makes starts longer, never shorter. Stops add to the stages.
    let wall = Double(try #require(account.starts.map(\.duration).min()))
    let sum = try #require(sums.min())
    #expect(sum > 0.98 * wall && sum < 1.1 * wall, "stages \(sum) ns, wall \(wall) ns")
    #expect(account.calls == nil)
  }

  /// Those of start files are not shown, and the libraries' initializers are no first calls.
  @Test(arguments: [[], ["--all"]])
  func shownAndOtherCallsAreAllFirstCalls(options: [String]) throws {
    let functions = (0..<20).map {
      "__attribute__((noinline)) void f\($0)(void) { __asm__ volatile(\"\"); }\n"
    }
    let calls = (0..<20).map { "f\($0)();" }
    let program = try Fixture.c(
      functions.joined() + "int main(void) { \(calls.joined()) return 0; }", flags: Fixture.plain)
    let text = try Command.check(
      [Toolchain.firstlight, "launch", "--runs", "1"] + options + [program.executable])
    let count = try #require(text.firstMatch(of: /First calls: (\d+) of/).flatMap { Int($0.1) })
    let table = try #require(text.firstMatch(of: /(?s)\nSlowest first calls.*?\n.*?\n(.*?)\n\n/)).1
    let other = table.firstMatch(of: /and (\d+) more/).flatMap { Int($0.1) }
    let shown = table.split(separator: "\n").count - (other == nil ? 0 : 1)
    #expect(count >= 21 && shown + (other ?? 0) == count, "\(text)")
    #expect((other == nil) == options.contains("--all"))
  }

  @Test func callsFormATreeWhateverWayTheyEnd() throws {
    let program = try Fixture.c(
      """
      #include <setjmp.h>
      static jmp_buf back;
      __attribute__((noinline)) void jumper(void) { longjmp(back, 1); }
      __attribute__((noinline)) void around(void) { jumper(); __asm__ volatile(""); }
      __attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }
      __attribute__((noinline)) int tail(int x) { __asm__ volatile(""); return leaf(x * 2); }
      __attribute__((noinline)) int fib(int n) {
        int result = n < 2 ? n : fib(n - 1) + fib(n - 2);
        __asm__ volatile("");
        return result;
      }
      __attribute__((noinline)) int down(int n) {
        int result = n == 0 ? leaf(0) : down(n - 1);
        __asm__ volatile("");
        return result;
      }
      __attribute__((noinline)) void after(void) { __asm__ volatile(""); }
      int main(void) {
        if (!setjmp(back)) around();
        after();
        int tailed = tail(2);
        return tailed + fib(20) + down(30) == 5 + 6765 + 1 ? 0 : 1;
      }
      """, options: ["-O2"],
      flags: Fixture.plain)
    let account = try program.launch(["--runs", "1"])
    #expect(account.notes.allSatisfy { $0.contains("busy machine") }, "\(account.notes)")
    #expect(try account.parent("around") == "main")
    #expect(try account.parent("jumper") == "around")
    #expect(try account.call("jumper").ending == "unwound")
    // The code goes on where it would have returned to: that cannot be told apart, so it is not.
    #expect(["unwound", "unseen"].contains(try account.call("around").ending))
    #expect(try account.parent("after") == "main")
    #expect(try account.call("after").ending == "returned")
    #expect(try account.parent("leaf") == "tail")
    #expect(try account.call("leaf").ending == "tailCall")
    #expect(try account.call("tail").ending == "returned")
    #expect(try account.call("fib").ending == "returned")
    #expect(try account.call("down").ending == "returned")
    #expect(try account.call("main").ending == "returned")
    let calls = try #require(account.calls)
    for call in calls {
      guard let parent = call.parent else { continue }
      #expect(calls[parent].time <= call.time)
      if let outer = calls[parent].duration, let inner = call.duration {
        #expect(calls[parent].time + outer >= call.time + inner, "\(call.name)")
      }
    }
  }

  @Test func exceptionsLeaveCallsWithoutReturn() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      """
      __attribute__((noinline)) void thrower(int x) { if (x) throw x; __asm__ volatile(""); }
      __attribute__((noinline)) void between(int x) { thrower(x); __asm__ volatile(""); }
      __attribute__((noinline)) int catcher(int x) {
        try { between(x); } catch (int caught) { return caught; }
        return 0;
      }
      int main(int count, char **) { return catcher(count) == 1 ? 0 : 1; }
      """, to: "main.cpp")
    let executable = directory.path("program")
    try Command.check(["clang++", "-g", "-O1", source, "-o", executable])
    let account = try Fixture(directory: directory, executable: executable).launch(["--runs", "1"])
    #expect(try account.call("thrower").ending == "unwound")
    #expect(try account.call("between").ending == "unwound")
    #expect(try account.call("catcher").ending == "returned")
    #expect(try account.parent("thrower(int)") == "between(int)")
  }

  @Test func threadsThatCallOneFunctionAtOnceAreAllLeftRight() throws {
    let program = try Fixture.c(
      """
      #include <pthread.h>
      static pthread_barrier_t gate;
      __attribute__((noinline)) int work(int n) {
        int result = n == 0 ? 1 : work(n - 1) + 1;
        __asm__ volatile("");
        return result;
      }
      __attribute__((noinline)) int shared(int n) { int r = work(n); __asm__ volatile(""); return r; }
      static void *run(void *sum) {
        pthread_barrier_wait(&gate);
        for (int i = 0; i < 200; i++) *(long *)sum += shared(i % 7);
        return 0;
      }
      int main(void) {
        pthread_t threads[8];
        long sums[8] = {0};
        pthread_barrier_init(&gate, 0, 8);
        for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, run, &sums[i]);
        for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
        for (int i = 0; i < 8; i++) if (sums[i] != sums[0]) return 1;
        return sums[0] > 0 ? 0 : 1;
      }
      """, options: ["-O1", "-pthread"], flags: Fixture.plain)
    let account = try program.launch(["--runs", "1"])
    #expect(account.notes.allSatisfy { $0.contains("busy machine") }, "\(account.notes)")
    let calls = try #require(account.calls)
    #expect(calls.filter { $0.name == "shared" }.count == 1)
    #expect(calls.filter { $0.name == "work" }.count == 1)
    // Seen to return, or said to have passed unseen; never left without return.
    #expect(["returned", "unseen"].contains(try account.call("shared").ending))
    #expect(["returned", "unseen"].contains(try account.call("work").ending))
    #expect(Set(calls.map(\.thread)).count > 1)
  }

  @Test func asyncFunctionsAreMarkedSo() throws {
    let program = try Fixture.swift(
      """
      @inline(never) func slowly(_ x: Int) async -> Int {
        await Task.yield()
        return x + CommandLine.arguments.count
      }
      @inline(never) func plainly(_ x: Int) -> Int { x * CommandLine.arguments.count }
      let sum = await slowly(1) + plainly(2)
      precondition(sum == 4)
      """, options: ["-Onone", "-module-name", "program"],
      flags: Fixture.plainSwift)
    let account = try program.launch(["--runs", "1"])
    let pieces = try #require(account.calls).filter { $0.name.contains("slowly") }
    #expect(!pieces.isEmpty)
    #expect(pieces.allSatisfy { $0.ending == "asynchronous" })
    #expect(
      try #require(account.calls).contains {
        $0.name.contains("plainly") && $0.ending == "returned"
      })
  }
}
