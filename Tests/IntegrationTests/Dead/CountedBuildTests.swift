import Foundation
import TestSupport
import Testing

/// Counted builds: what the compilers' counters add to a recording, however its processes live and die.
@Suite(.tags(.compiler), .enabled(if: ProgramTarget.isNative, "clang builds for the machine"))
struct CountedBuildTests {
  private func build(
    _ source: String, named name: String = "main.c", _ options: [String] = ["-O2"],
    counted: Bool = true, in directory: TemporaryDirectory, to program: String = "program"
  ) throws -> String {
    let file = try directory.write(source, to: name)
    let executable = directory.path(program)
    let isSwift = name.hasSuffix(".swift")
    let tool = isSwift ? "swiftc" : "clang"
    try Command.check(
      [tool, "-g", file, "-o", executable] + (isSwift ? ["-O"] : options)
        + Toolchain.words(["flags", tool] + (counted ? ["--counters"] : [])))
    return executable
  }

  private func record(
    _ words: [String], environment: [String: String] = [:], in directory: TemporaryDirectory
  ) throws -> String {
    let profile = directory.path("\(UUID().uuidString).flp")
    _ = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile, "--"] + words, environment: environment)
    return profile
  }

  private func listed(_ profiles: String...) throws -> Set<String> {
    try Set(Answer.dead(profiles).functions.map(\.shortName))
  }

  /// All six are inlined or removed.
  @Test func anOptimisedSwiftProgramListsWhatNeverRan() throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      """
      struct Box<T> { var v: T
        func get() -> T { v }
        func never() -> T { v }
      }
      @inline(__always) func tiny(_ x: Int) -> Int { x &+ 1 }
      func neverSmall(_ x: Int) -> Int { x &* 5 }
      public func neverPublic(_ x: Int) -> Int { x &* 7 }
      protocol P { func a() -> Int; func b() -> Int }
      struct S: P { func a() -> Int { 1 }; func b() -> Int { 2 } }
      @_transparent func transparent(_ p: any P) -> Int { p.a() }
      func stop() -> Never { fatalError("stop") }
      class C { var with = { 5 }(); func m() -> Int { 4 }; var computed: Int { 3 } }
      let n = CommandLine.arguments.count
      if n > 5 { print(neverSmall(n), Box(v: 3).never(), S().b(), C().computed, C().with); stop() }
      print(Box(v: n).get(), tiny(n), transparent(S()), C().m())
      """, named: "main.swift", in: directory)
    let profile = try record([program], in: directory)
    #expect(
      try listed(profile) == [
        "Box.never()", "neverSmall(_:)", "neverPublic(_:)", "S.b()", "stop()", "C.computed",
      ])
    // What nobody wrote, such as the initializer of C, is no function that may have run.
    let list = try Command.check([Toolchain.firstlight, "dead", profile])
    #expect(!list.contains("may have run unseen"), "\(list)")
    let story = try Command.check([Toolchain.firstlight, "why", "neverPublic", profile])
    #expect(story.contains("the compiler counts its calls, and 1 counted run had none"))
  }

  /// llvm-cov gives these functions the count of an empty region, since a system header's macro comes first.
  @Test func aMacroOfASystemHeaderIsNoFunctionThatNeverRan() throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      """
      #include <math.h>
      #define CHECK(x) (isnan(x) ? 0 : 1)
      #define GETTER(n, T) double get_##n(double x) { return T && CHECK(x) ? x : 0; }
      GETTER(a, 1)
      GETTER(b, 0)
      GETTER(never, 0)
      int main(int count, char **words) {
        return count > 5 ? get_never(count) : get_a(1) + get_b(2) > 99;
      }
      """, in: directory)
    #expect(try listed(record([program], in: directory)) == ["get_never"])
  }

  @Test func aProgramThatIsNotRecordedLeavesNoFile() throws {
    let directory = try TemporaryDirectory()
    let program = try build("int main(void) { return 0; }", in: directory)
    let folder = directory.path("empty")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Command.check([program], in: URL(filePath: folder))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    let chosen = directory.path("chosen.profraw")
    try Command.check([program], environment: ["LLVM_PROFILE_FILE": chosen])
    #expect(FileManager.default.fileExists(atPath: chosen))
  }

  /// Functions 0 to 9, small enough to be inlined; each way of living and dying calls one, none calls 9.
  private static let lives = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/prctl.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static volatile int sink;
    \((0..<10).map { "static inline void f\($0)(void) { sink += \($0); }" }.joined(separator: "\n"))
    static pthread_barrier_t barrier;
    static void *once(void *unused) { pthread_barrier_wait(&barrier); f5(); return unused; }
    static void child(int way, const char *self) {
      switch (way) {
      case 0: f0(); raise(SIGKILL); break;
      case 1: f1(); abort(); break;
      case 2: f2(); _exit(0); break;
      case 3: execl(self, self, "again", (char *)0); break;
      case 4: if (vfork() == 0) { f4(); execl(self, self, "again", (char *)0); _exit(1); } break;
      case 5: {
        pthread_t threads[64];
        pthread_barrier_init(&barrier, 0, 64);
        for (int i = 0; i < 64; i++) pthread_create(threads + i, 0, once, 0);
        for (int i = 0; i < 64; i++) pthread_join(threads[i], 0);
        break;
      }
      case 6: prctl(PR_SET_SECCOMP, 1 /* strict */); f6(); raise(SIGKILL); break;
      case 7: {
        char path[4096];
        strcat(strcpy(path, self), ".so");
        void *library = dlopen(path, RTLD_NOW);
        ((void (*)(void))dlsym(library, "inside"))();
        dlclose(library);
        f7();
        break;
      }
      }
    }
    int main(int count, char **words) {
      if (count > 1) { f3(); raise(SIGKILL); }
      for (int way = 0; way < 8; way++) {
        if (fork() == 0) { child(way, words[0]); exit(0); }
        wait(0);
      }
      if (count > 100) f9();
      f8();
    }
    """

  /// Oracle: the program's text.
  @Test func countersOutliveEveryDeath() throws {
    let directory = try TemporaryDirectory()
    let program = try build(Self.lives, in: directory)
    _ = try build(
      """
      static inline int copied(int x) { return x * 3; }
      static inline int neverCopied(int x) { return x * 5; }
      volatile int state;
      void inside(void) { state = copied(state); }
      void neverInside(void) { state = neverCopied(state); }
      """, named: "library.c", ["-O2", "-shared", "-fPIC"], in: directory, to: "program.so")
    let profile = try record([program], in: directory)
    #expect(try listed(profile) == ["f9", "neverInside", "neverCopied"])
    #expect(try Answer.info(profile).runs.allSatisfy { $0.problems.isEmpty })
  }

  /// The program's own choice stays, and what it hides from us is a loss.
  @Test func countersThatGoElsewhereAreALoss() throws {
    let directory = try TemporaryDirectory()
    let program = try build("void never(void) {}\nint main(void) { return 0; }", in: directory)
    let own = directory.path("own.profraw")
    let profile = try record(
      [program], environment: ["LLVM_PROFILE_FILE": own], in: directory)
    #expect(FileManager.default.fileExists(atPath: own))
    let result = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(result.status == 3)
    #expect(result.output.contains("the counters of 1 process are missing or damaged"))
  }

  @Test(arguments: [0, 200]) func countersThatAreCutOffAreALoss(size: Int) throws {
    let directory = try TemporaryDirectory()
    let program = try build("void never(void) {}\nint main(void) { return 0; }", in: directory)
    let spool = directory.url.appending(path: "spool")
    try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: false)
    try Command.check([program], environment: ["FIRSTLIGHT_DIR": spool.path])
    let names = try FileManager.default.contentsOfDirectory(atPath: spool.path)
    let file = try #require(names.first { $0.hasSuffix(".counters") })
    #expect(truncate(spool.appending(path: file).path, off_t(size)) == 0)
    let profile = directory.path("p.flp")
    try Command.check(
      [Toolchain.firstlight, "record", "-o", profile, "--directory", spool.path])
    let result = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(result.status == 3)
    #expect(result.output.contains("the counters of 1 process are missing or damaged"))
  }

  /// The linker keeps one copy of an inline function, and calls of the other object's go there.
  @Test(arguments: ["-O0", "-O2"], [false, true])
  func anObjectWithoutCountersLeavesItsCopiesOpen(level: String, isFirst: Bool) throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      #include <cstdio>
      inline int shared(int x) { return printf("shared %d\\n", x) + 1; }
      template <class T> T made(T x) { return printf("made\\n") + x; }
      struct V { virtual ~V() {} virtual int virt() { return printf("virt\\n"); } };
      """, to: "h.h")
    let counted = try directory.write(
      """
      #include "h.h"
      int other(int);
      int never(int x) { return x * 3; }
      int main(int count, char **) {
        if (count > 5) { V v; return shared(count) + made(count) + v.virt() + never(count); }
        return other(count) > 100;
      }
      """, to: "a.cpp")
    let plain = try directory.write(
      """
      #include "h.h"
      int other(int x) { V *v = new V; int r = shared(x) + made(x) + v->virt(); delete v; return r; }
      """, to: "b.cpp")
    let flags = try Toolchain.words(["flags", "clang", "--counters"])
    let objects = [directory.path("a.o"), directory.path("b.o")]
    try Command.check(["clang++", "-g", level, "-c", counted, "-o", objects[0]] + flags)
    try Command.check(["clang++", "-g", level, "-c", plain, "-o", objects[1]])
    let program = directory.path("program")
    try Command.check(
      ["clang++"] + (isFirst ? objects : objects.reversed()) + ["-o", program] + flags)
    #expect(try listed(record([program], in: directory)) == ["never"])
  }

  /// LLVM's runtime would end the program with SIGXFSZ.
  @Test func aLimitOnFilesLeavesTheProgramAlone() throws {
    let directory = try TemporaryDirectory()
    let program = try build("void never(void) {}\nint main(void) { return 0; }", in: directory)
    let profile = try record(
      ["/bin/sh", "-c", "ulimit -f 400; exec \(program)"], in: directory)
    #expect(try Answer.info(profile).runs.map(\.outcome) == ["exit status 0"])
    let result = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(result.status == 3)
    #expect(result.output.contains("the counters of 1 process are missing or damaged"))
  }

  /// Runs add up, and the counted build decides about copies in the other.
  @Test func runsOfCountedAndOtherBuildsAddUp() throws {
    let directory = try TemporaryDirectory()
    let source = """
      #include <stdlib.h>
      static volatile int sink;
      static inline int one(int x) { return x + 1; }
      static inline int two(int x) { return x * 3; }
      static inline int never(int x) { return x * 5; }
      int main(int count, char **words) {
        int way = count > 1 ? atoi(words[1]) : 0;
        if (way == 1) sink = one(way);
        if (way == 2) sink = two(way);
        if (way == 3) sink = never(way);
      }
      """
    let counted = try build(source, in: directory)
    let first = try record([counted, "1"], in: directory)
    let second = try record([counted, "2"], in: directory)
    #expect(try listed(first) == ["two", "never"])
    #expect(try listed(first, second) == ["never"])
    let merged = directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", first, second, "-o", merged])
    #expect(try listed(merged) == ["never"])
    let plain = try record(
      [try build(source, counted: false, in: directory, to: "plain"), "3"], in: directory)
    #expect(try !listed(plain).contains("never"))
    let never = try #require(
      Answer.dead([merged, plain, "--all"]).functions.first { $0.shortName == "never" })
    #expect(never.verdict == "never called" && never.watchedRuns == 2)
  }

  /// Swift compiles what it calls of a header, without counters; clang's counters are of the file that includes it.
  /// What the compiler makes of a Codable type and of @main is no function of the source.
  @Test(arguments: ["-O", "-Onone"]) func swiftCopiesFunctionsOfHeaders(level: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("module C { header \"c.h\" export * }\n", to: "module.modulemap")
    try directory.write(
      """
      static inline int ran(int x) { return x * 2; }
      static inline int never(int x) { return x * 3; }

      """, to: "c.h")
    try directory.write("#include \"c.h\"\nint own(int x) { return x; }\n", to: "c.c")
    try directory.write(
      """
      import C
      struct Ware: Codable { var price: Int }
      enum Kind: Codable { case one(Ware), two }
      @inline(never) func f(_ x: Int32) -> Int32 { ran(x) }
      @main struct App {
        static func main() {
          print(f(Int32(CommandLine.arguments.count)))
          if CommandLine.arguments.count > 5 { print(never(3), Kind.two as any Codable) }
        }
      }

      """, to: "app.swift")
    let optimization = level == "-O" ? "-O2" : "-O0"
    try Command.check(
      ["clang", "-g", optimization, "-c", "c.c", "-o", "c.o"]
        + Toolchain.words(["flags", "clang", "--counters"]), in: directory.url)
    try Command.check(
      ["swiftc", "-g", level, "-parse-as-library", "-I.", "app.swift", "c.o", "-o", "program"]
        + Toolchain.words(["flags", "swiftc", "--counters"]), in: directory.url)
    let profile = try record([directory.path("program")], in: directory)
    #expect(try listed(profile) == (level == "-O" ? ["own"] : ["own", "never"]))
    let list = try Command.check([Toolchain.firstlight, "dead", profile])
    #expect(list.contains("2 functions may have run unseen") == (level == "-O"), "\(list)")
    if level == "-O" {
      let command = try #require(
        list.firstMatch(of: /in spite of counters: .*ran.* firstlight (why \S+) says why/)
      ).1
      let named = try Command.check(
        [Toolchain.firstlight] + command.split(separator: " ").map(String.init) + [profile])
      #expect(named.contains("inlined"), "\(named)")
    }
    let story = try Command.check([Toolchain.firstlight, "why", "ran", profile])
    #expect(story.contains(level == "-O" ? "inlined: no run counted it, but Swift" : "called"))
  }

  /// A raw profile of somebody's own coverage build gives the same list.
  @Test func rawProfilesAreImported() throws {
    let directory = try TemporaryDirectory()
    let program = try build(Self.lives, in: directory)
    let recorded = try listed(record([program], in: directory))
    let file = directory.path("main.c")
    let own = directory.path("own")
    try Command.check(
      ["clang", "-g", "-O2", file, "-o", own, "-fprofile-instr-generate", "-fcoverage-mapping"]
        + ["-mllvm", "-runtime-counter-relocation", "-fuse-ld=lld"])
    _ = try Command.run(
      [own], environment: ["LLVM_PROFILE_FILE": directory.path("%c%p.profraw")])
    let raw = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      .filter { $0.hasSuffix(".profraw") }.map(directory.path)
    let profile = directory.path("own.flp")
    try Command.check(
      [Toolchain.firstlight, "import", "llvm"] + raw + ["--binary", own, "-o", profile])
    #expect(try listed(profile) == recorded)
  }
}
