import Foundation
import TestSupport
import Testing

/// `test` in projects of make and CMake.
@Suite(.serialized, .tags(.compiler)) struct MakeSuiteTests: SuiteCommands {
  private static let source = """
    int used(int x) { return x + 1; }
    static int helper(const char *text, int x) {
      for (; *text; text++) x = x * 31 + *text / (x | 1) + (x ^ *text) % 7;
      return x;
    }
    int never(int x) {
      int sum = helper("a", x) + helper("b", x + 1) * helper("c", x * 3);
      return sum - helper("d", -x) / (helper("e", x) | 1);
    }
    int small(int x) { return x + 2; }

    """
  private static let tests = """
    #include <stdlib.h>
    int used(int), never(int);
    int main(int count, char **arguments) {
      if (getenv("FATE")) abort();
      return count > 5 ? never(count) : used(1) - 2 + (count > 1 ? atoi(arguments[1]) : 0);
    }

    """
  /// Names its compiler, and optimises.
  private static let makefile = """
    CC = gcc
    CFLAGS = -O2
    all: check
    check: code.o tests/main.o
    \t$(CC) -o check code.o tests/main.o
    %.o: %.c
    \t$(CC) $(CFLAGS) $(MORE) -c -o $@ $<
    test: check
    \t./check
    clean:
    \trm -f check code.o tests/main.o

    """

  private func make() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write(Self.source, to: "code.c")
    try directory.write(Self.tests, to: "tests/main.c")
    try directory.write(Self.makefile, to: "Makefile")
    return directory
  }

  @Test func aMakefileIsBuiltByWhatTheErrorSays() throws {
    let directory = try make()
    try Command.check(["make", "-s"], in: directory.url)
    let unsaid = try test([], in: directory)
    #expect(unsaid.status == 66)
    let said = try #require(unsaid.errors.firstMatch(of: /say it: (firstlight test .*)/))
    // Objects that are there already are not compiled again.
    let stale = try test(["--build", "make", "--run", "make -s test"], in: directory)
    #expect(stale.status == 65)
    #expect(stale.errors.contains("; begin --build with make clean"), "\(stale.errors)")
    let failed = try test(["--build", "make", "--run", "make -s nothing"], in: directory)
    #expect(failed.errors.contains("; see the output above; if the tests ran, begin --build "))

    let result = try Command.run(
      ["sh", "-c", String(said.1)], in: directory.url,
      environment: ["PATH": "\(Toolchain.products.path):\(Toolchain.path)"])
    try #require(result.status == 0, "\(result.errors)")
    // Though the Makefile optimises. Tests are no own code.
    #expect(names(result.output) == ["helper", "never", "small"])
    #expect(result.output.contains(/25% +4 +3 +[0-9]+ B +check/), "\(result.output)")
    // The user's own build has our hooks now, whatever the tool.
    #expect(
      result.errors.contains("is instrumented: build anew before you ship or benchmark it"),
      "\(result.errors)")
    for command in [["inspect"], ["size"], ["launch", "--runs", "1"]] {
      let shown = try Command.run(
        [Toolchain.firstlight] + command + ["./check"], in: directory.url)
      #expect(shown.output.contains("nstrumented binary: "), "\(command): \(shown.output)")
    }

    let dead = try Command.run([Toolchain.firstlight, "dead"], in: directory.url)
    #expect(dead.status == 0 && names(dead.output) == ["helper", "never", "small"])
  }

  /// gcc's hooks would destroy its arguments.
  @Test(.onlyNative("the machine's gcc"))
  func aFileWithANakedFunctionGetsNoHooks() throws {
    let directory = try make()
    try directory.write(
      """
      #if defined(__x86_64__)
      __attribute__((naked)) long sum(long a, long b) {
        __asm__ volatile("lea (%rdi,%rsi), %rax; ret");
      }
      #else
      long sum(long a, long b) { return a + b; }  // not naked
      #endif

      """, to: "tests/sum.c")
    try directory.write(
      "int used(int); long sum(long, long); int main(void) { return used(1) + sum(2, 3) != 7; }",
      to: "tests/main.c")
    let result = try test(
      [
        "--build", "gcc -O2 -c tests/sum.c -o sum.o && gcc -O2 code.c tests/main.c sum.o -o check",
        "--run", "./check",
      ],
      in: directory)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("warning: tests/sum.c has a naked function"))
    #expect(names(result.output) == ["helper", "never", "small"])
  }

  @Test func aTestProgramsEndIsPassedOn() throws {
    let directory = try make()
    let build = #"make -s clean all CC="clang {flags}" MORE=-g"#
    let commands = ["--build", build, "--run", "exec ./check"]
    let failed = try test(commands + ["--", "7"], in: directory)
    #expect(failed.status == 7, "\(failed.errors)")
    #expect(names(failed.output) == ["helper", "never", "small"], "\(failed.errors)")
    let unoptimised = ["--build", build + " MORE=-O0"] + commands.dropFirst(2)
    let crashed = try test(unoptimised, in: directory, environment: ["FATE": "crash"])
    #expect(crashed.signalled && crashed.status == SIGABRT, "\(crashed.errors)")
    #expect(names(crashed.output).contains("used"))
    #expect(crashed.errors.contains("the tests failed (killed by signal 6"))
  }

  /// Tests and files that CMake makes are no own code.
  @Test func sourcesThatNoTestLinksAreNamed() throws {
    let directory = try make()
    for name in ["d.c", "b.c", "caf\u{e9}.c", "a.cpp"] {
      try directory.write("int unlinked(void) { return 1; }", to: "idle/\(name)")
    }
    for name in ["tests/other.c", "old/CMakeFiles/id.c", "vendor/v.c"] {
      try directory.write("int other(void) { return 1; }", to: name)
    }
    let result = try test(["--build", "make -s clean all", "--run", "make -s test"], in: directory)
    #expect(
      result.errors.contains(
        "warning: not listed, as no recorded program has functions of 4 source files: "
          + "idle/a.cpp, idle/b.c, idle/caf\u{e9}.c and 1 more\n"), "\(result.errors)")
    try FileManager.default.removeItem(atPath: directory.path("idle"))
    let whole = try test(["--build", "make -s clean all", "--run", "make -s test"], in: directory)
    #expect(!whole.errors.contains("not listed"), "\(whole.errors)")
  }

  @Test func aCMakeProjectNeedsNoWords() throws {
    let directory = try make()
    try directory.write(
      """
      cmake_minimum_required(VERSION 3.20)
      project(Code C)
      enable_testing()
      add_library(code code.c)
      # An option, as most projects have one for their tests.
      if(NOT WITH_TESTS)
        return()
      endif()
      add_executable(check tests/main.c)
      target_link_libraries(check code)
      add_test(NAME check COMMAND check)
      """, to: "CMakeLists.txt")
    let result = try test(["-DWITH_TESTS=ON"], in: directory)
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("100% tests passed"))
    #expect(names(result.output) == ["helper", "never", "small"])
    #expect(
      directory.entries == [".build-firstlight", "CMakeLists.txt", "Makefile", "code.c", "tests"])

    // Later commands know what the profile is of.
    let later = try Command.run([Toolchain.firstlight, "dead"], in: directory.url)
    #expect(!later.output.contains("One run says little"), "\(later.output)")

    let deletable = try Command.run(
      [Toolchain.firstlight, "dead", "--deletable", "--format", "github-actions"], in: directory.url
    )
    #expect(deletable.status == 0, "\(deletable.errors)")
    #expect(deletable.output.hasPrefix("::warning file=code.c,line=10,title=Never called::small "))
    #expect(deletable.output.split(separator: "\n").count == 1)
    let prune = try Command.run([Toolchain.firstlight, "prune"], in: directory.url)
    #expect(prune.output.contains("-int small(int x) { return x + 2; }"), "\(prune.errors)")
    // CMake's cache would keep the option, and the tests that it made.
    let without = try test([], in: directory)
    #expect(without.status == 65, "\(without.output)")
  }

  /// The error says how to run a program that the project does not declare as a test.
  @Test func aCMakeProjectWithoutTestsIsRunAsTheErrorSays() throws {
    let directory = try make()
    try directory.write(
      """
      cmake_minimum_required(VERSION 3.20)
      project(Code C)
      add_executable(check code.c tests/main.c)
      """, to: "CMakeLists.txt")
    let none = try test([], in: directory)
    #expect(none.status == 65)
    let said = try #require(
      none.errors.firstMatch(of: /firstlight (test --build '[^']+' --run )build-tests\/PROGRAM/))
    let result = try Command.run(
      ["/bin/sh", "-c", "\(Toolchain.firstlight) \(said.1)build-tests/check"], in: directory.url)
    #expect(result.status == 0, "\(result.errors)")
    #expect(names(result.output) == ["helper", "never", "small"])
  }

  /// gcc sets hooks, not counters: the list names the command that builds with clang.
  @Test func aGccProjectIsToldHowToCount() throws {
    let directory = try make()
    try directory.write(
      "__attribute__((no_instrument_function)) int shown(int x) { return x; }\n", to: "extra.c")
    try directory.write(
      """
      cmake_minimum_required(VERSION 3.20)
      project(Code C)
      enable_testing()
      add_executable(check code.c extra.c tests/main.c)
      add_test(NAME check COMMAND check)
      """, to: "CMakeLists.txt")
    let hooked = try test(["-DCMAKE_C_COMPILER=gcc"], in: directory)
    #expect(hooked.output.contains("1 function may have run unseen"), "\(hooked.output)")
    let said = try #require(hooked.output.firstMatch(of: /firstlight test((?: -D\S+)+) with CMake/))
    let counted = try test(said.1.split(separator: " ").map(String.init), in: directory)
    #expect(names(counted.output) == ["helper", "never", "small", "shown"], "\(counted.errors)")
  }

  @Test func anInterruptedRunReplacesNoCompleteOne() throws {
    let directory = try make()
    let build = #"make -s clean all CC="clang {flags}" MORE=-g"#
    let complete = try test(["--build", build, "--run", "exec ./check"], in: directory)
    try #require(complete.status == 0, "\(complete.errors)")
    let profile = directory.path(".build-firstlight/tests.flp")
    let before = try Data(contentsOf: URL(filePath: profile))
    let dead = { (arguments: [String]) in
      try Command.run([Toolchain.firstlight, "dead"] + arguments, in: directory.url)
    }

    let interrupted = try test(
      ["--build", build, "--run", "./check; kill -INT $$"], in: directory)
    #expect(interrupted.signalled && interrupted.status == SIGINT, "\(interrupted.errors)")
    #expect(interrupted.errors.contains("the tests were interrupted (killed by signal 2"))
    #expect(interrupted.errors.contains("-> .build-firstlight/tests.interrupted.flp"))
    #expect(try Data(contentsOf: URL(filePath: profile)) == before)
    #expect(!(try dead([]).output.contains("did not reach")))
    let said = "1 run was interrupted by signal 2 (Interrupt): what it did not reach looks"
    #expect(try dead([".build-firstlight/tests.interrupted.flp"]).output.contains(said))

    // Failed tests ran to their end.
    let failed = try test(["--build", build, "--run", "exec ./check 7"], in: directory)
    #expect(failed.status == 7)
    #expect(try dead([]).output.contains("1 run ended with exit status 7: what it did not"))
  }

  @Test func ctrlCBeforeTheTestsEndsByTheSameSignal() throws {
    let directory = try make()
    for steps in [["--run", "kill -INT $$"], ["--build", "kill -INT $$", "--run", "./check"]] {
      let result = try test(steps, in: directory)
      #expect(result.signalled && result.status == SIGINT, "\(steps): \(result.errors)")
      #expect(result.errors.contains("error: interrupted "), "\(steps): \(result.errors)")
      #expect(!result.errors.contains("nothing was recorded"))
    }
  }

  @Test func theSecondWaitsForTheFirst() throws {
    let directory = try make()
    let gate = directory.path("gate")
    try Command.check(["mkfifo", gate])
    // Says that it runs, and goes on when somebody opens the gate.
    let first = try Command.start(
      [Toolchain.firstlight, "test", "--run", "echo held; read line < gate"], in: directory.url)
    _ = try first.waitForOutput { $0.contains("held\n") ? true : nil }
    let second = try Command.start(
      ["sh", "-c", "exec \(Toolchain.firstlight) test --run 'echo second' 2>&1"],
      in: directory.url)
    let text = try second.waitForOutput { $0.contains("process ") ? $0 : nil }
    #expect(text.contains("waiting for another firstlight test here (process "), "\(text)")
    #expect(!text.contains("second"))
    try "go\n".write(toFile: gate, atomically: false, encoding: .utf8)
    _ = try first.wait()
    #expect(try second.wait().output.contains("second\n"))
  }
}
