import Foundation
import TestSupport
import Testing

/// `test` in projects that know nothing of it: a Swift package, make, CMake.
@Suite(.serialized, .tags(.compiler)) struct SuiteTests {
  // MARK: A Swift package

  /// A package with a dependency, whose tests do as the environment says; built once.
  private static let package = Result { () -> TemporaryDirectory in
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Log", products: [.library(name: "Log", targets: ["Log"])],
        targets: [.target(name: "Log")])
      """, to: "Log/Package.swift")
    try directory.write(
      """
      public func log(_ text: String) { print(text) }
      public func neverLog(_ text: String) { print(text) }
      """, to: "Log/Sources/Log/log.swift")
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Shop", dependencies: [.package(path: "../Log")],
        targets: [
          .target(name: "CTax"), .target(name: "Idle"),
          .target(name: "Wares", dependencies: ["CTax", "Log"]),
          .testTarget(name: "WaresTests", dependencies: ["Wares"]),
        ])
      """, to: "Shop/Package.swift")
    try directory.write("public func idle() {}\n", to: "Shop/Sources/Idle/idle.swift")
    try directory.write("int tax(int);\nint old_tax(int);\n", to: "Shop/Sources/CTax/include/tax.h")
    try directory.write(
      "int tax(int x) { return x / 5; }\nint old_tax(int x) { return x / 10; }\n",
      to: "Shop/Sources/CTax/tax.c")
    try directory.write(
      """
      import CTax
      import Log
      public struct Ware {
        public var price: Int
        public init(price: Int) { self.price = price }
        public func gross() -> Int { log("gross"); return price + Int(tax(Int32(price))) }
        private func reduced(by percent: Int, _ text: String) -> Int { price * percent }
        public func never() -> Int { reduced(by: 3, "") }
      }
      """, to: "Shop/Sources/Wares/Ware.swift")
    try directory.write(
      """
      import Foundation
      import Wares
      import XCTest
      final class WaresTests: XCTestCase {
        func testGross() { XCTAssertEqual(Ware(price: 10).gross(), 12) }
        func testFate() {
          switch ProcessInfo.processInfo.environment["FATE"] {
          case "fail": XCTFail("as told")
          case "crash": fatalError("as told")
          default: break
          }
        }
        func neverHelp() { print("help") }
      }
      """, to: "Shop/Tests/WaresTests/WaresTests.swift")
    return directory
  }

  private func test(
    _ arguments: [String], in directory: TemporaryDirectory, folder: String = "",
    environment: [String: String] = [:]
  ) throws -> CommandResult {
    try Command.run(
      [Toolchain.firstlight, "test"] + arguments, in: directory.url.appending(path: folder),
      environment: environment)
  }

  /// The rows of a list: the names behind bytes.
  private func names(_ text: String) -> [String] {
    text.matches(of: /(?m)^ +[0-9-]+ +[0-9]+ B  (.*)$/).map { String($0.1) }
  }

  /// The files of SwiftPM's own build folder with the moments of their last change.
  private func state(of folder: String) -> [String: Date] {
    var state: [String: Date] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      state[name] = attributes?[.modificationDate] as? Date
    }
    return state
  }

  @Test func aPackageIsTestedAndListedBesideItsBuild() throws {
    let directory = try Self.package.get()
    try Command.check(["swift", "build"], in: directory.url.appending(path: "Shop"))
    let before = state(of: directory.path("Shop/.build"))
    // A folder within the package will do.
    let result = try test([], in: directory, folder: "Shop/Sources")
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("Executed 2 tests, with 0 failures"))
    #expect(names(result.output) == ["old_tax", "Ware.reduced(by:_:)", "Ware.never()"])
    #expect(result.output.contains("Wares  Wares/Ware.swift"))
    #expect(result.output.contains("1 more in dependencies, 1 in tests: --dependencies lists them"))
    #expect(result.output.contains(/50% +4 +2 +[0-9]+ B +Wares/))
    #expect(result.errors.contains("the first time compiles everything"))
    #expect(result.errors.contains("recorded "))
    #expect(result.errors.contains("not listed, as no test links them: Idle\n"))
    #expect(state(of: directory.path("Shop/.build")) == before)
    #expect(
      try String(
        contentsOfFile: directory.path("Shop/.build-firstlight/.gitignore"), encoding: .utf8)
        == "*\n")

    // The profile is kept, and what is printed as next works.
    let again = try Command.run(
      [Toolchain.firstlight, "dead"], in: directory.url.appending(path: "Shop"))
    #expect(again.status == 0)
    #expect(again.errors.contains("reading .build-firstlight/tests.flp"))
    #expect(again.output.contains("Wares  Sources/Wares/Ware.swift"))
    #expect(names(again.output) == names(result.output))
    let next = result.errors.split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /firstlight: next: (.*)/).map { String($0.1) }
    }
    let pasted = try Command.run(
      ["sh", "-c", try #require(next.first)], in: directory.url.appending(path: "Shop/Sources"),
      environment: ["PATH": "\(Toolchain.products.path):\(Toolchain.path)"])
    #expect(next.count == 1 && pasted.status == 0, "\(next): \(pasted.errors)")
    #expect(FileManager.default.fileExists(atPath: directory.path("Shop/Sources/dead.html")))
    try FileManager.default.removeItem(atPath: directory.path("Shop/Sources/dead.html"))
  }

  @Test func theExitCodeIsThatOfTheTests() throws {
    let directory = try Self.package.get()
    for fate in ["fail", "crash"] {
      let result = try test(["Shop"], in: directory, environment: ["FATE": fate])
      #expect(result.status == 1 && !result.signalled, "\(fate): \(result.errors)")
      #expect(result.errors.contains("the tests failed (exit status 1)"))
      #expect(names(result.output).contains("Ware.never()"))
      #expect(result.output.contains("Wares  Shop/Sources/Wares/Ware.swift"))
    }
    // A gate counts own code, and counts only if the tests pass.
    let strict = try test(["Shop", "--strict", "-o", "list.txt"], in: directory)
    #expect(strict.status == 1 && strict.errors.contains("--strict: 3 functions listed"))
    #expect(strict.errors.contains("the last time took"))
    let file = try String(contentsOfFile: directory.path("list.txt"), encoding: .utf8)
    #expect(names(file).count == 3)
    let loose = try test(
      ["Shop", "--max-dead", "3", "--limit", "2", "--full-names"], in: directory)
    #expect(loose.status == 0)
    #expect(names(loose.output).count == 2 && loose.output.contains("Wares.Ware.(reduced in _"))
    #expect(loose.output.contains("and 1 more: raise --limit"))
  }

  @Test func argumentsGoToTheTestRunner() throws {
    let directory = try Self.package.get()
    let some = try test(["Shop", "--", "--filter", "testFate"], in: directory)
    #expect(some.status == 0, "\(some.errors)")
    #expect(names(some.output).contains("Ware.gross()"))
    // No test: the profile of the run before stays.
    let profile = directory.path("Shop/.build-firstlight/tests.flp")
    let before = try Data(contentsOf: URL(filePath: profile))
    let none = try test(["Shop", "--", "--filter", "NoSuchTest"], in: directory)
    #expect(none.status == 65 && names(none.output).isEmpty, "\(none.errors)")
    #expect(none.errors.contains("error: no test ran: swift test --filter NoSuchTest; "))
    #expect(try Data(contentsOf: URL(filePath: profile)) == before)
    // This one lists none.
    try directory.write("import XCTest\nXCTMain([])\n", to: "Shop/LinuxMain.swift")
    let listed = try test(["Shop"], in: directory)
    #expect(listed.status == 65)
    #expect(
      listed.errors.contains("--run 'swift test --enable-test-discovery'"), "\(listed.errors)")
    let unknown = try test(["Shop", "--", "--no-such-option"], in: directory)
    #expect(unknown.status == 65)
    #expect(
      unknown.errors.contains("nothing was recorded (tests: exit status 64)"), "\(unknown.errors)")
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

  @Test func aBuildThatFailsIsExplained() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "Bad", targets: [.target(name: "Bad")])
      """, to: "Package.swift")
    try directory.write("let x: Int = nothing\n", to: "Sources/Bad/bad.swift")
    let result = try test([], in: directory)
    #expect(result.status == 65)
    #expect(result.errors.contains("cannot find 'nothing' in scope"), "\(result.errors)")
    #expect(result.errors.contains("the build ended with exit status 1: swift build --build-tests"))
    #expect(result.output.isEmpty)
  }

  // MARK: Make and CMake

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

    let dead = try Command.run([Toolchain.firstlight, "dead"], in: directory.url)
    #expect(dead.status == 0 && names(dead.output) == ["helper", "never", "small"])
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

  @Test func aCMakeProjectNeedsNoWords() throws {
    let directory = try make()
    try directory.write(
      """
      cmake_minimum_required(VERSION 3.20)
      project(Code C)
      enable_testing()
      add_library(code code.c)
      add_executable(check tests/main.c)
      target_link_libraries(check code)
      add_test(NAME check COMMAND check)
      """, to: "CMakeLists.txt")
    let result = try test([], in: directory)
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("100% tests passed"))
    #expect(names(result.output) == ["helper", "never", "small"])
    #expect(
      directory.entries == [".build-firstlight", "CMakeLists.txt", "Makefile", "code.c", "tests"])

    let deletable = try Command.run(
      [Toolchain.firstlight, "dead", "--deletable", "--format", "gcc"], in: directory.url)
    #expect(deletable.status == 0, "\(deletable.errors)")
    #expect(deletable.output.hasPrefix("code.c:10: warning: small was never called "))
    #expect(deletable.output.split(separator: "\n").count == 1)
    let prune = try Command.run([Toolchain.firstlight, "prune"], in: directory.url)
    #expect(prune.output.contains("-int small(int x) { return x + 2; }"), "\(prune.errors)")
  }

  // MARK: What can be deleted

  /// Compiles, links and strips in one call, as small programs do, with gcc.
  private static let oneCall = [
    "Makefile": """
    CC = gcc
    all: check
    check: code.c check.c
    \t$(CC) -s -o check code.c check.c
    test: check
    \t./check
    clean:
    \trm -f check

    """,
    "check.c": "#include \"code.h\"\nint main(void) { return used(1) - 2; }\n",
    "code.h": "int used(int);\n/* Old. */\nint unused(int);\n",
    "code.c": """
    #include "code.h"
    int used(int x) { return x + 1; }

    static int helper(int x) {
      return x * 2;
    }

    /* Old. */
    int unused(int x) {
      return helper(x);
    }

    """,
  ]

  /// A PATH with Swift's clang that refuses to index, as LLVM's own.
  private func pathOfClangWithoutIndex(in directory: TemporaryDirectory) throws -> String {
    let clang = try Command.check(["sh", "-c", "command -v clang"]).prefix { $0 != "\n" }
    let script = try directory.write(
      """
      #!/bin/sh
      case " $* " in *" -index-store-path "*) exit 1 ;; esac
      exec '\(clang)' "$@"

      """, to: "clang")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    return "\(directory.url.path):\(Toolchain.path)"
  }

  @Test(arguments: [("gcc", true), ("clang", true), ("clang", false)])
  func aMakeProjectIsPrunedWithoutFurtherFlags(compiler: String, clangIndexes: Bool) throws {
    let (directory, tools) = (try TemporaryDirectory(), try TemporaryDirectory())
    for (name, text) in Self.oneCall { try directory.write(text, to: name) }
    let environment =
      clangIndexes ? [:] : ["PATH": try pathOfClangWithoutIndex(in: tools)]
    func firstlight(_ words: String...) throws -> CommandResult {
      try Command.run(
        [Toolchain.firstlight] + words, in: directory.url, environment: environment)
    }
    func test() throws {
      let result = try firstlight(
        "test", "--build", "make CC=\(compiler) clean all", "--run", "make CC=\(compiler) test")
      try #require(result.status == 0, "\(result.errors)")
    }
    try test()
    #expect(
      FileManager.default.fileExists(atPath: directory.path(".build-firstlight/index-store"))
        == (clangIndexes && compiler == "clang"))
    // What the first build left is not of this source.
    let code = try #require(Self.oneCall["code.c"])
    try directory.write("\n" + code, to: "code.c")
    try test()

    let dead = try firstlight("dead", "--deletable", "--format", "gcc")
    #expect(dead.status == 0, "\(dead.errors)")
    let lines = dead.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(lines == ["code.c:10:", "code.c:5:"], "\(dead.output)")
    let prune = try firstlight("prune", "--verify", "-o", "prune.diff")
    #expect(prune.status == 0, "\(prune.errors)")
    #expect(prune.errors.contains("removes 2 functions") && prune.errors.contains("in 1 run"))
    try Command.check(["git", "apply", "prune.diff"], in: directory.url)
    let left = try ["code.h", "code.c"].map {
      try String(contentsOfFile: directory.path($0), encoding: .utf8)
    }
    #expect(left[0] == "int used(int);\n")
    #expect(left[1] == "\n#include \"code.h\"\nint used(int x) { return x + 1; }\n")

    try test()
    for words in [["dead", "--deletable"], ["prune"]] {
      let none = try Command.run([Toolchain.firstlight] + words, in: directory.url)
      #expect(none.status == 0 && none.errors.contains("nothing can be deleted: no never-called"))
    }
  }

  @Test func whatIsMissingIsNamed() throws {
    let directory = try TemporaryDirectory()
    func expect(
      _ status: Int32, _ words: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
      let result = try test(arguments, in: directory, environment: environment)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
    }
    try expect(66, "has no Package.swift or CMakeLists.txt", [])
    #expect(directory.entries.isEmpty)
    try expect(66, "absent: no such folder", ["absent"])
    try expect(64, "--build needs --run", ["--build", "make"])
    try expect(
      69, "cc: not found on PATH", ["--run", "true"], environment: ["PATH": "/nonexistent"])
    try expect(
      69, "swift: not found on PATH", ["--run", "swift test"],
      environment: ["PATH": "/usr/bin:/bin"])
    let dead = try Command.run([Toolchain.firstlight, "dead"], in: directory.url)
    #expect(dead.status == 66 && dead.errors.contains("no profile (*.flp) in this folder"))
  }
}
