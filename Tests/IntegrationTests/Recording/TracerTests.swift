import Foundation
import TestSupport
import Testing

/// `record --no-rebuild` sees what guards see, in programs that have none.
@Suite(.tags(.compiler)) struct TracerTests {
  private static let sequence = """
    __attribute__((noinline)) static void third(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void second(void) { third(); __asm__ volatile(""); }
    __attribute__((noinline)) void never_one(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void first(void) { __asm__ volatile(""); }
    __attribute__((constructor)) static void before_main(void) { __asm__ volatile(""); }
    void (*volatile table[])(void) = {never_one};
    int main(int count, char **arguments) {
      (void)arguments;
      first();
      second();
      first();
      if (count > 5) table[0]();
      return 0;
    }
    """

  @Test func anOrderOfACProgramIsThatOfGuards() throws {
    let guarded = try Fixture.c(Self.sequence)
    let expected = try Answer.order([guarded.record()])
    let plain = try Fixture.c(Self.sequence, options: ["-O0"], flags: Fixture.plain)
    let watched = try plain.watch()
    #expect(watched.result.status == 0)
    #expect(watched.result.errors.contains("functions in 1 process, 1 binary -> "))
    #expect(try watched.order() == expected)
    #expect(expected == ["before_main", "main", "first", "second", "third"])
    #expect(try Answer.dead([watched.profile]).mangledNames.contains("never_one"))
    let info = try Answer.info(watched.profile)
    #expect(info.builds.map(\.recorder) == ["breakpoints"])
    #expect(info.builds[0].functions == info.builds[0].guards)
  }

  @Test func anOrderOfASwiftProgramIsThatOfGuards() throws {
    let source = """
      protocol Shape { func area() -> Int }
      struct Square: Shape {
        let side: Int
        @inline(never) func area() -> Int { side * side }
      }
      final class Circle: Shape {
        lazy var radius = CommandLine.arguments.count
        @inline(never) func area() -> Int { 3 * radius }
      }
      @inline(never) func total(_ shapes: [any Shape]) -> Int {
        shapes.map { $0.area() }.reduce(0, +)
      }
      @inline(never) func neverCalled() -> Int { 1 }
      if CommandLine.arguments.count > 5 { print(neverCalled()) }
      print(total([Circle(), Square(side: 2)]), ["b", "a"].sorted())
      """
    let options = ["-Onone", "-module-name", "program"]
    let guarded = try Fixture.swift(source, options: options)
    let plain = try Fixture.swift(source, options: options, flags: Fixture.plainSwift)
    let watched = try plain.watch()
    #expect(watched.result.output == "7 [\"a\", \"b\"]\n")
    let seen = try watched.order()
    let expected = try Answer.order([guarded.record()]).filter { Set(seen).contains($0) }
    // Guards miss functions whose entry the compiler made without one, breakpoints miss none.
    #expect(seen.filter { Set(expected).contains($0) } == expected)
    #expect(expected.count > 20)
    let called = Set(try Answer.order([guarded.record()]))
    let known = Set(
      try Command.check(["llvm-nm", "--format=just-symbols", plain.executable])
        .split(separator: "\n").map(String.init))
    #expect(called.intersection(known).subtracting(seen) == [])
  }

  @Test func initializersAreRecordedInTheOrderInWhichTheyRun() throws {
    let program = try Fixture.c(
      """
      #include <unistd.h>
      static void say(const char *name) { write(1, name, 1); }
      __attribute__((noinline, constructor(102))) static void b_second(void) { say("b"); }
      __attribute__((noinline, constructor)) static void c_third(void) { say("c"); }
      __attribute__((noinline, constructor(101))) static void a_first(void) { say("a"); }
      __attribute__((noinline)) static void p_before(void) { say("p"); }
      __attribute__((section(".preinit_array"), used)) static void (*const entry)(void) = p_before;
      __attribute__((noinline, destructor)) static void z_last(void) { say("z"); }
      int main(void) { say("m"); return 0; }
      """, flags: Fixture.plain)
    let watched = try program.watch()
    #expect(watched.result.output == "pabcmz")
    let order = try Answer.order([watched.profile])
    let own = [
      "p_before", "_init", "a_first", "b_second", "c_third", "main", "z_last", "_fini",
    ]
    #expect(order.filter(own.contains) == own)
  }

  @Test(arguments: [
    ["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-static"], ["-static-pie", "-fPIE"],
  ])
  func everyKindOfExecutable(link: [String]) throws {
    let program = try Fixture.c(Self.sequence, flags: Fixture.plain + link)
    let watched = try program.watchUnnoticed()
    let names: Set = ["before_main", "main", "first", "second", "third", "never_one"]
    #expect(
      try watched.order().filter(names.contains)
        == ["before_main", "main", "first", "second", "third"])
    #expect(try Answer.info(watched.profile).builds.map(\.kind) == ["executable"])
  }

  @Test func threadsThatRaceRecordEachFunctionOnce() throws {
    let names = (0..<200).map { "f\($0)" }
    let program = try Fixture.c(
      """
      #include <pthread.h>
      \(names.map { "void \($0)(void) {}" }.joined(separator: "\n"))
      static void (*const all[])(void) = {\(names.joined(separator: ", "))};
      static pthread_barrier_t start;
      static void *run(void *unused) {
        pthread_barrier_wait(&start);
        for (int i = 0; i < 200; i++) all[i]();
        return unused;
      }
      int main(void) {
        pthread_t threads[8];
        pthread_barrier_init(&start, 0, 8);
        for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, run, 0);
        for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """, options: ["-O0", "-pthread"], flags: Fixture.plain)
    for _ in 0..<5 {
      let watched = try program.watchUnnoticed()
      let order = try watched.order()
      #expect(order.count == 202)
      #expect(Set(order) == Set(names + ["main", "run"]))
      // All functions but `run` in the order in which the fastest thread called them.
      let place = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
      #expect(place["main"]! < place["run"]! && place["run"]! < place["f0"]!)
      #expect(zip(names, names.dropFirst()).allSatisfy { place[$0]! < place[$1]! })
    }
  }

  @Test func aLibraryIsRecordedWhereItIsNamed() throws {
    let directory = try TemporaryDirectory()
    for name in ["linked", "loaded"] {
      let file = try directory.write(
        """
        void \(name)_never(void) {}
        void \(name)_inner(void) {}
        __attribute__((constructor)) static void \(name)_begin(void) { \(name)_inner(); }
        void \(name)_one(void) { \(name)_inner(); }
        void \(name)_two(void) { \(name)_inner(); }
        """, to: "\(name).c")
      try Command.check(
        ["clang", "-g", "-fPIC", "-shared", file, "-o", directory.path("lib\(name).so")]
          + Fixture.plain)
    }
    let main = try directory.write(
      """
      #include <dlfcn.h>
      void linked_one(void);
      static void call(const char *path, const char *name) {
        void *library = dlopen(path, RTLD_NOW);
        ((void (*)(void))dlsym(library, name))();
        dlclose(library);
      }
      int main(int count, char **arguments) {
        (void)count;
        linked_one();
        call(arguments[1], "loaded_one");
        call(arguments[1], "loaded_two");
        return 0;
      }
      """, to: "main.c")
    try Command.check(
      [
        "clang", "-g", main, "-o", directory.path("program"), "-L\(directory.url.path)", "-llinked",
        "-Wl,-rpath,\(directory.url.path)",
      ] + Fixture.plain)
    let watched = try Watched.run(
      [directory.path("program"), directory.path("libloaded.so")],
      options: ["--image", "liblinked.so", "--image", "*/libloaded.so"], in: directory)
    #expect(watched.result.status == 0)
    #expect(try watched.order() == ["main", "call"])
    #expect(
      try watched.order("--image", "liblinked.so") == [
        "linked_begin", "linked_inner", "linked_one",
      ])
    // Loaded twice, each of its functions called first once.
    #expect(
      try watched.order("--image", "libloaded.so") == [
        "loaded_begin", "loaded_inner", "loaded_one", "loaded_two",
      ])
    let alone = try Watched.run(
      [directory.path("program"), directory.path("libloaded.so")], in: directory)
    #expect(try Answer.info(alone.profile).builds.count == 1)
    // What comes with the program and is left out is said; and that a pattern was of no use.
    #expect(alone.result.errors.contains("add --image 'liblinked.so'"), "\(alone.result.errors)")
    #expect(!watched.result.errors.contains("--image"), "\(watched.result.errors)")
    let mistyped = try Watched.run(
      [directory.path("program"), directory.path("libloaded.so")],
      options: ["--image", "liblinkd.so", "--image", "libl*.so"], in: directory)
    #expect(mistyped.result.errors.contains("--image 'liblinkd.so' matches no file"))
  }

  /// Swift's runtime starts swift-backtrace, which belongs to nobody's program.
  @Test func theReporterOfACrashIsNotRecorded() throws {
    let program = try Fixture.swift(
      """
      @inline(never) func fail(_ x: Int) { if x > 0 { fatalError("no") } }
      fail(CommandLine.arguments.count)
      """, flags: Fixture.plainSwift)
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [
        Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program.executable,
      ], environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"])
    #expect(result.errors.contains("Backtrac"), "\(result.errors)")
    #expect(try Answer.info(profile).builds.count == 1)
  }

  @Test func ordersOfBothRecordersAreNotMixed() throws {
    let program = try Fixture.c(Self.sequence)
    let guarded = try program.record()
    let watched = try program.watch()
    let both = try Answer.order([guarded, watched.profile])
    #expect(try !both.isEmpty && both == Answer.order([guarded]))
  }
}
