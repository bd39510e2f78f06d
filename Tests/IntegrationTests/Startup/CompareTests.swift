import Foundation
import TestSupport
import Testing

/// `compare` on real programs of which is known what they touch.
@Suite(.serialized, .tags(.compiler, .timing)) struct CompareTests {
  struct Comparison: Decodable {
    struct Side: Decodable {
      struct Section: Decodable {
        var name: String
        var pages, touched: Int
      }
      var runs: [[String: Double]]
      var touchedPages: Int?
      var touchedExact: Bool?
      var sections: [Section]

      func touched(_ name: String) -> Int { sections.first { $0.name == name }?.touched ?? 0 }
    }
    struct Row: Decodable {
      struct Spread: Decodable { var median: Double }
      var metric, verdict: String
      var a, b: Spread
    }
    var cold: Bool
    var even: Bool?
    var warning: String?
    var droppedFiles: [String]
    var a, b: Side
    var rows: [Row]
    var notes: [String]

    func row(_ metric: String) -> Row? { rows.first { $0.metric == metric } }
  }

  /// Each function has a page of code of its own, and so has each piece of the table.
  private static let source = """
    #include <stdlib.h>
    #define F(n) \\
      __attribute__((noinline, aligned(4096))) static int f##n(int x) { return x * n + 1; }
    F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16)
    static int (*volatile functions[])(int) = {
      f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16};
    __attribute__((aligned(4096))) static const volatile char table[4096 * 300] = {1};
    __attribute__((aligned(4096))) int main(int count, char **arguments) {
      int sum = 0;
      for (int i = 0; i < 16; i += FUNCTIONS_APART) sum += functions[i](i);
      for (int i = 0; i < PAGES; i++) sum += table[4096 * i];
      return count > 1 ? atoi(arguments[1]) : sum == -1;
    }
    """

  private func program(pages: Int, functionsApart: Int = 16) throws -> Fixture {
    try Fixture.c(
      Self.source,
      options: ["-O1", "-DPAGES=\(pages)", "-DFUNCTIONS_APART=\(functionsApart)"],
      flags: ["-fuse-ld=lld"])
  }

  private func compare(_ arguments: [String]) throws -> Comparison {
    let text = try Command.check([Toolchain.firstlight, "compare", "--format", "json"] + arguments)
    return try JSONDecoder().decode(Comparison.self, from: Data(text.utf8))
  }

  private func fails(_ arguments: [String], status: Int32, _ words: String...) throws {
    let result = try Command.run([Toolchain.firstlight, "compare"] + arguments)
    #expect(result.status == status && !result.signalled, "\(result.errors)")
    // What lasts is told of, too.
    #expect(result.errors.split(separator: "\n").count { $0.contains("firstlight: error: ") } == 1)
    for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
  }

  /// Also where the kernel takes a program's file for shared memory.
  @Test(arguments: [FileManager.default.temporaryDirectory.path, "/dev/shm"])
  func aProgramThatTouchesTwoHundredPagesMoreIsFoundTo(below folder: String) throws {
    let a = try program(pages: 10)
    let b = try program(pages: 210)
    let copies = URL(filePath: folder).appending(path: "firstlight-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: copies) }
    let paths = try [a, b].enumerated().map { index, fixture in
      let copy = copies.appending(path: "program\(index)").path
      try ProgramFile.copy(fixture.executable, to: copy)
      return copy
    }
    let result = try compare(paths)
    #expect(result.a.runs.count == 10 && result.b.runs.count == 10)
    if result.a.touchedExact == true {
      #expect(result.b.touched(".rodata") - result.a.touched(".rodata") == 200)
      #expect(try #require(result.b.touchedPages) - (try #require(result.a.touchedPages)) == 200)
    }
    let files = try #require(result.row("rssFile"))
    #expect(files.verdict == "higher")
    // What the kernel maps around a fault adds up to 15 pages of 4 KiB at either end.
    #expect(abs(files.b.median - files.a.median - 800) <= 2 * 15 * 4)
    // The verdict on equals is wrong once in many times: that is what its p says.
    let anonymous = try #require(result.row("rssAnonymous"))
    #expect(abs(anonymous.b.median - anonymous.a.median) < 80)
  }

  @Test func pagesTouchedAreThoseOfTheFunctionsThatRun() throws {
    let a = try program(pages: 0, functionsApart: 16)
    let b = try program(pages: 0, functionsApart: 4)
    let result = try compare(["--runs", "5", a.executable, b.executable])
    guard result.a.touchedExact == true else {
      try Test.cancel("pages touched cannot be counted here: \(result.notes)")
    }
    // Of 16 functions a runs one, b four; around them it is the same code.
    #expect(result.b.touched(".text") - result.a.touched(".text") == 3)
    #expect(result.a.touched(".text") <= 4)
  }

  @Test func packedRelocationsSpareThePagesOfTheirTable() throws {
    let source = """
      static int a[9];
      #define P10 a, a, a, a, a, a, a, a, a, a
      #define P100 P10, P10, P10, P10, P10, P10, P10, P10, P10, P10
      #define P1000 P100, P100, P100, P100, P100, P100, P100, P100, P100, P100
      int *table[] = {P1000, P1000, P1000, P1000, P1000};
      int main(int count, char **arguments) { return arguments[0][0] == *table[count]; }
      """
    let a = try Fixture.c(source, flags: ["-fuse-ld=lld"])
    let b = try Fixture.c(source, flags: ["-fuse-ld=lld", "-Wl,-z,pack-relative-relocs"])
    let result = try compare([a.executable, b.executable])
    // 5,000 of 24 bytes.
    #expect(result.a.touched(".rela.dyn") - result.b.touched(".rela.dyn") >= 28)
    #expect(result.row("rss")?.verdict == "lower")
  }

  @Test func warmStartsReadNothing() throws {
    let program = try program(pages: 50)
    let result = try compare(["--warm", "--runs", "5", program.executable, program.executable])
    #expect(!result.cold)
    #expect(result.row("cachedPages") == nil)
    #expect(result.row("majorFaults")?.a.median == 0)
  }

  @Test func aFileInMemoryIsMeasuredWarmUnlessColdIsAskedFor() throws {
    let memory = "/dev/shm/firstlight-test-\(UUID().uuidString)"
    let program = try program(pages: 5)
    defer { try? FileManager.default.removeItem(atPath: memory) }
    try ProgramFile.copy(program.executable, to: memory)
    let result = try compare(["--runs", "5", memory, memory])
    #expect(!result.cold)
    #expect(result.notes.contains { $0.contains("a memory file system") })
    try fails(["--cold", memory, memory], status: 69, "cannot be started cold")
  }

  @Test func readyIsWhenTheProgramSaysSo() throws {
    let include = Toolchain.project.appending(path: "CSupport/FirstlightRuntime/include").path
    let program = try Fixture.c(
      """
      #include <firstlight.h>
      #include <unistd.h>
      int main(void) { firstlight_ready(); for (;;) pause(); }
      """, options: ["-I\(include)"])
    let result = try compare(
      ["--until", "ready", "--runs", "5", program.executable, program.executable])
    #expect(result.a.runs.allSatisfy { $0["milliseconds"]! > 0 && $0["rss"]! > 0 })
  }

  @Test func readyIsWhenTheProgramListens() throws {
    let server = try Fixture.c(
      """
      #include <arpa/inet.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/socket.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t size = sizeof address;
        int server = socket(AF_INET, SOCK_STREAM, 0);
        if (count > 1) address.sin_port = htons(atoi(arguments[1]));
        if (bind(server, (void *)&address, sizeof address) || listen(server, 5)) return 1;
        getsockname(server, (void *)&address, &size);
        printf("%d\\n", ntohs(address.sin_port));
        fflush(stdout);
        for (;;) pause();
      }
      """, flags: ["-fuse-ld=lld"])
    let other = try Command.start([server.executable])
    let port = try other.waitForOutput { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
    let arguments = [
      "--until", "port:\(port)", "--runs", "5", server.executable, server.executable,
    ]
    try fails(arguments + ["--", port], status: 69, "port \(port) is already in use")
    other.send(SIGKILL)
    _ = try other.wait()
    let result = try compare(arguments + ["--", port])
    #expect(result.row("milliseconds") != nil)
    #expect(result.notes.contains { $0.hasPrefix("the port was polled every") })
  }

  @Test func afterADurationThereIsNoTimeToCompare() throws {
    let program = try Fixture.c(
      "#include <unistd.h>\nint main(void) { for (;;) pause(); }", flags: ["-fuse-ld=lld"])
    let result = try compare(
      ["--until", "20ms", "--runs", "5", program.executable, program.executable])
    #expect(result.row("milliseconds") == nil)
    #expect(result.row("rss") != nil)
  }

  @Test func aProgramThatIsNeverReadyIsReported() throws {
    let waits = try Fixture.c(
      "#include <unistd.h>\nint main(void) { for (;;) pause(); }", flags: ["-fuse-ld=lld"])
    let ends = try program(pages: 1)
    for until in ["ready", "port:1", "exit"] {
      try fails(
        ["--until", until, "--timeout", "300ms", waits.executable, waits.executable], status: 65,
        "A (\(waits.executable)) has not ", "within 300 ms")
    }
    try fails(
      ["--until", "ready", ends.executable, ends.executable], status: 65,
      "ended with exit status 0 before it had reported ready")
    try fails(
      ["--until", "10s", ends.executable, ends.executable], status: 65, "before it had run for")
  }

  @Test func crashesAreReportedWithTheLastOutput() throws {
    let sound = try program(pages: 1)
    let crashes = try Fixture.c(
      """
      #include <stdio.h>
      int main(void) { fputs("no table\\n", stderr); *(volatile int *)0 = 1; return 0; }
      """, flags: ["-fuse-ld=lld"])
    try fails(
      [sound.executable, crashes.executable], status: 65,
      "B (\(crashes.executable)) was killed by signal 11", "last output: no table")
  }

  @Test func programsThatEndDifferentlyAreNotCompared() throws {
    let a = try program(pages: 1)
    let b = try Fixture.c("int main(void) { return 3; }", flags: ["-fuse-ld=lld"])
    try fails([a.executable, b.executable], status: 65, "exit status 0, B", "with 3")
  }

  @Test func failingIsNoStartUpUnlessItIsAllowed() throws {
    let a = try program(pages: 1)
    try fails(
      [a.executable, a.executable, "--", "7"], status: 65, "exit status 7", "--ignore-failure")
    let result = try compare(
      ["--runs", "5", "--ignore-failure", a.executable, a.executable, "--", "7"])
    #expect(result.notes.contains("both end with exit status 7"))
  }

  /// The same code in a shared library and in the executable.
  private struct TwoLinks {
    let directory: TemporaryDirectory
    var shared: String { directory.path("shared") }
    var whole: String { directory.path("whole") }
    var library: String { directory.path("libtable.so") }

    init() throws {
      directory = try TemporaryDirectory()
      let table = try directory.write(
        """
        __attribute__((aligned(4096))) static const volatile char table[4096 * 400] = {1};
        int sum(void) {
          int sum = 0;
          for (int i = 0; i < 400; i++) sum += table[4096 * i];
          return sum;
        }
        """, to: "table.c")
      let main = try directory.write(
        """
        #include <stdio.h>
        #include <unistd.h>
        int sum(void);
        int main(int count, char **arguments) {
          (void)arguments;
          int all = sum();
          if (count > 1) {
            puts("has it");
            fflush(stdout);
            pause();
          }
          return all != 1;
        }
        """, to: "main.c")
      let folder = directory.url.path
      try Command.check(["clang", "-O1", "-fPIC", "-shared", table, "-o", library])
      try Command.check([
        "clang", "-O1", main, "-o", shared, "-L\(folder)", "-ltable", "-Wl,-rpath,\(folder)",
      ])
      try Command.check(["clang", "-O1", main, table, "-o", whole])
    }
  }

  @Test func aLibraryThatOthersKeepInMemoryMakesColdStartsUneven() throws {
    let links = try TwoLinks()
    let other = try Command.start([links.shared, "keep"])
    defer { other.send(SIGKILL) }
    try other.waitForOutput { $0.contains("has it") ? true : nil }
    let byDefault = try compare(["--runs", "5", links.shared, links.whole])
    #expect(!byDefault.cold)
    #expect(byDefault.warning == nil)
    if byDefault.notes.contains(where: { $0.contains("cannot be started cold") }) {
      try Test.cancel("nothing starts cold here: \(byDefault.notes)")
    }
    #expect(byDefault.notes.contains { $0.contains("not comparable") })

    let asked = try compare(["--cold", "--runs", "5", links.shared, links.whole])
    #expect(asked.even == false)
    let found = try #require(asked.row("foundPages"))
    #expect(found.a.median - found.b.median >= 400)
    for metric in ["milliseconds", "majorFaults"] {
      #expect(asked.row(metric)?.verdict == "not comparable")
    }
    let text = try Command.check(
      [Toolchain.firstlight, "compare", "--cold", "--runs", "5", links.shared, links.whole])
    let lines = text.split(separator: "\n")
    #expect(lines[1].hasPrefix("UNFAIR COMPARISON"))
    #expect(!text.contains("B is lower in: time") && !text.contains("B is higher in: time"))

    other.send(SIGKILL)
    _ = try other.wait()
    let alone = try compare(["--cold", "--runs", "5", links.shared, links.whole])
    #expect(alone.even == true)
    #expect(alone.droppedFiles.contains(links.library))
  }

  @Test func signalsAndExecsOfTheProgramAreItsOwn() throws {
    let program = try Fixture.c(
      """
      #include <signal.h>
      #include <stdlib.h>
      #include <unistd.h>
      static volatile sig_atomic_t seen;
      static void handler(int signal) { (void)signal; seen++; }
      int main(int count, char **arguments) {
        signal(SIGUSR1, handler);
        signal(SIGTRAP, handler);
        raise(SIGUSR1);
        raise(SIGTRAP);
        if (seen != 2) return 9;
        if (count < 2) execl(arguments[0], arguments[0], "again", (char *)0);
        return 0;
      }
      """, flags: ["-fuse-ld=lld"])
    let result = try compare(["--runs", "5", program.executable, program.executable])
    #expect(result.a.runs.count == 5)
  }

  @Test func thePageNeedsNothingElse() throws {
    let program = try program(pages: 40)
    let file = program.directory.path("page.html")
    try Command.check(
      [
        Toolchain.firstlight, "compare", "--runs", "5", "--format", "html", "-o", file,
        program.executable, program.executable,
      ])
    let page = try String(contentsOfFile: file, encoding: .utf8)
    for outside in ["http:", "https:", "<script", "<link", "url(", "@import"] {
      #expect(!page.contains(outside))
    }
    #expect(page.components(separatedBy: "<svg class=\"map\"").count == 3)
  }

  @Test func unmeasurableProgramsHaveTheirExitCodes() throws {
    let program = try program(pages: 1)
    let library = try Fixture.c("int f(void) { return 1; }", flags: ["-fuse-ld=lld", "-shared"])
    let text = try program.directory.write("#!/bin/sh\n", to: "script")
    let sound = program.executable
    try fails([sound, "/nonexistent"], status: 66, "/nonexistent: cannot be opened")
    try fails([text, sound], status: 65, "a script for /bin/sh")
    try fails([sound, library.executable], status: 65, "a shared library")
    for wrong in [
      ["--runs", "4"], ["--cold", "--warm"], ["--until", "port:0"], ["--timeout", "exit"],
    ] {
      let result = try Command.run([Toolchain.firstlight, "compare", sound, sound] + wrong)
      #expect(result.status == 64)
    }
  }
}
