import Foundation
import TestSupport
import Testing

/// Functions that are deprecated, and come back or go: by real compilers, which must not warn.
@Suite(.tags(.compiler)) struct RetireTests: ProjectTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let rules =
    "retire:\n  deprecate: {weeks: 0, runs: 1}\n  remove: {weeks: 0, runs: 1}\n"

  // MARK: Swift

  private static let package = [
    ".gitignore": ".build*\n*.diff\n", ".firstlight.yml": rules,
    "Package.swift": """
    // swift-tools-version: 6.0
    import PackageDescription
    let package = Package(
      name: "shop", products: [.library(name: "Shop", targets: ["Shop"])],
      targets: [.target(name: "Shop"), .testTarget(name: "ShopTests", dependencies: ["Shop"])])

    """,
    "Sources/Shop/Ware.swift": """
    public struct Ware {
      public init() {}
      public func price() -> Int { 3 }

      /// For users of the library.
      public func offered() -> Int { helper() }

      func hidden(_ count: Int = first()) -> Int {
        func inner() -> Int { secret() }
        let twice = { self.secret() * $0 }
        return count > 0 ? hidden(count - 1) : twice(2) + inner() + total
      }

      private func secret() -> Int { 4 }
      private func helper() -> Int { 5 }
      var total: Int { secret() }
      static func first() -> Int { 1 }
    }

    """,
    "Tests/ShopTests/ShopTests.swift": """
    import Shop
    import Testing
    @Test func price() { #expect(Ware().price() == 3) }

    """,
  ]

  @Test func functionsOfAPackageAreDeprecatedComeBackAndGo() throws {
    try commit(Self.package)
    try Command.check([Toolchain.firstlight, "test"], in: project)
    let first = try firstlight("retire", "-o", "first.diff", "--verify")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.errors.contains("deprecates 6 functions in 1 file; verified in 1 run"))
    try git("apply", "first.diff")
    let marked = try text("Sources/Shop/Ware.swift")
    #expect(
      marked.contains(
        "library.\n  @available(*, deprecated, message: \"never called from 20"))

    // Nothing warns, and nothing more is due.
    try Command.check(
      ["swift", "build", "--build-tests", "-Xswiftc", "-warnings-as-errors"], in: project)
    try Command.check([Toolchain.firstlight, "test"], in: project)
    let second = try firstlight("retire", "-o", "second.diff")
    #expect(second.errors.contains("nothing more is due: 6 functions deprecated already"))
    #expect(try text("second.diff") == "")
    #expect(try text("Sources/Shop/Ware.swift") == marked)

    let removal = try firstlight("prune", "--marked", "-o", "removal.diff", "--verify")
    #expect(removal.errors.contains("removes 7 functions"), "\(removal.errors)")
    #expect(try text("removal.diff").contains("-  public func offered()"))
    // A public function of a library goes only after a mark.
    #expect(!(try firstlight("prune").output.contains("-  public func offered()")))

    // A call takes the marks of the function and of those that it calls back.
    try directory.write(
      Self.package["Tests/ShopTests/ShopTests.swift"]!
        + "@Test func offered() { #expect(Ware().offered() == 5) }\n",
      to: "project/Tests/ShopTests/ShopTests.swift")
    try Command.check([Toolchain.firstlight, "test"], in: project)
    let third = try firstlight("retire", "-o", "third.diff", "--verify")
    #expect(third.errors.contains("takes back the mark of Ware.offered(): called in 1 of 1 run"))
    #expect(third.errors.contains("takes back 2 marks in 1 file; verified in 1 run"))

    // Not a call from before them.
    let tests = ".build-firstlight/tests.flp"
    try age(tests, days: 2, to: "before.flp")
    try directory.write(
      Self.package["Tests/ShopTests/ShopTests.swift"]!,
      to: "project/Tests/ShopTests/ShopTests.swift")
    try Command.check([Toolchain.firstlight, "test"], in: project)
    let before = try firstlight("retire", "before.flp", tests)
    #expect(before.output == "")
    #expect(before.errors.contains("4 functions deprecated already"), "\(before.errors)")

    try git("apply", "third.diff")
    #expect(try text("Sources/Shop/Ware.swift").contains("library.\n  public func offered()"))
  }

  @Test func agesAreThoseOfRecordingsAndOfGit() throws {
    var files = Self.package
    files[".firstlight.yml"] = nil
    try commit(files)
    try Command.check([Toolchain.firstlight, "test"], in: project)
    let waiting = try firstlight("retire")
    #expect(waiting.errors.contains("the rules ask for 4 weeks and 100 runs"))
    // The document has the same ones.
    let page = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Retire.md"), encoding: .utf8)
    let rules = page.components(separatedBy: "```yaml\n")[1].components(separatedBy: "```")[0]
    try directory.write(rules, to: "project/.firstlight.yml")
    #expect(try firstlight("retire").errors == waiting.errors)
    // The same recording, five weeks ago.
    let tests = ".build-firstlight/tests.flp"
    try age(tests, days: 35, to: "old.flp")
    try directory.write("retire:\n  deprecate: {runs: 2}\n", to: "project/.firstlight.yml")
    let result = try firstlight("retire", "old.flp", tests)
    #expect(result.errors.contains("deprecates 6 functions"), "\(result.errors)")
    #expect(result.output.contains(" in 2 runs (firstlight)"))
    let now = try firstlight("retire", tests)
    #expect(
      now.errors.contains(/nothing is due: recorded [\d.]+ m?s and 1 run/), "\(now.errors)")

    struct List: Decodable {
      struct Age: Decodable {
        var since, changed: Double?
        var runs, builds: Int
      }
      struct Function: Decodable {
        var shortName, verdict: String
        var age: Age?
      }
      struct Observed: Decodable { var startedAt: Double }
      var functions: [Function]
      var observed: Observed
    }
    let json = try firstlight(
      "dead", "old.flp", tests, "--age", "--format", "json")
    let list = try JSONDecoder().decode(List.self, from: Data(json.output.utf8))
    let hidden = try #require(list.functions.first { $0.shortName == "Ware.hidden(_:)" }?.age)
    #expect(hidden.runs == 2 && hidden.builds == 1)
    #expect(hidden.since == list.observed.startedAt)
    let committed = try Command.check(["git", "log", "-1", "--format=%at"], in: project)
    #expect(hidden.changed == Double(committed.dropLast()))
    #expect(list.functions.allSatisfy { $0.verdict != "called" || $0.age == nil })
  }

  // MARK: C and C++

  private static let make = [
    ".gitignore": "*.o\napp\n.build*\n*.diff\n", ".firstlight.yml": rules,
    "Makefile": """
    CC = gcc
    CFLAGS = -O2 -g -Wall -Wextra -Wpedantic -Werror
    app: main.o list.o
    \t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ main.o list.o
    main.o list.o: list.h
    test: app
    \t./app
    clean:
    \trm -f app *.o

    """,
    "list.h": """
    int length(int x);
    /* Unused. */
    int unused_length(int x);
    int recursive(int x);
    int lonely(const char *name, int x);

    """,
    "list.c": """
    #include "list.h"
    int length(int x) { return x + 1; }
    static int help(int x)
    {
      return x * 3;
    }
    int unused_length(int x) { return help(x); }
    int recursive(int x) { return x ? recursive(x - 1) + 1 : 0; }
    int lonely(const char *name, int x) { return name[0] + x; }

    """,
    "main.c": """
    #include "list.h"
    int forward(int x);
    int forward(int x) { return x; }
    int main(void) { return length(1) == 2 ? 0 : 1; }

    """,
  ]

  private func recordTests(_ flags: String...) throws {
    let build = (["make clean app"] + flags).joined(separator: " ")
    let run = (["make test"] + flags).joined(separator: " ")
    try Command.check(
      [Toolchain.firstlight, "test", "--build", build, "--run", run], in: project)
  }

  @Test(arguments: ["gcc", "clang"])
  func markedFunctionsOfCMakeNoCompilerWarn(compiler: String) throws {
    try commit(Self.make)
    try recordTests("CC=\(compiler)")
    let first = try firstlight("retire", "-o", "first.diff")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.errors.contains("deprecates 3 functions in 2 files"))
    #expect(first.errors.contains("keeps recursive: calls itself"))
    try git("apply", "first.diff")
    #expect(try text("list.h").contains("/* Unused. */\n__attribute__((deprecated(\"never called"))
    for other in ["gcc", "clang"] {
      try Command.check(["make", "clean", "test", "CC=\(other)"], in: project)
    }
    try recordTests("CC=\(compiler)")
    #expect(try firstlight("retire").output == "")
    let removal = try firstlight(
      "prune", "--marked", "-o", "removal.diff", "--verify", "make clean && make test")
    #expect(removal.errors.contains("removes 4 functions"), "\(removal.errors)")

    // A call brings a function back.
    try directory.write(
      Self.make["main.c"]!.replacing("length(1)", with: "lonely(\"\", 0) + length(1)"),
      to: "project/main.c")
    try recordTests("CC=\(compiler)", "CFLAGS='-g -w'")
    let back = try firstlight("retire", "-o", "back.diff")
    #expect(back.errors.contains("takes back the mark of lonely: called in 1 of 1 run"))
    try git("apply", "back.diff")
    #expect(try text("list.h").contains("int recursive(int x);\nint lonely("))
  }

  @Test func verificationTakesBackMarksThatWarn() throws {
    var files = Self.make
    files["Makefile"] = files["Makefile"]?.replacing(" -Werror", with: "")
    try commit(files)
    try recordTests()
    // A use that no build knew.
    try directory.write(
      "#include \"list.h\"\nint late(void);\nint late(void) { return lonely(\"\", 1); }\n",
      to: "project/late.txt")
    let result = try firstlight(
      "retire", "-o", "a.diff", "--verify",
      "make clean && make test && gcc -Wall -c -o late.o -x c late.txt")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("took back lonely: late.txt:3:"), "\(result.errors)")
    #expect(result.errors.contains("deprecates 2 functions in 2 files, keeps 1, took back 1"))
  }

  @Test func functionsOfCPlusPlusAreMarkedIfTheBuildIsSilent() throws {
    var files = Self.make
    files["Makefile"] = """
      CXX = clang++
      CXXFLAGS = -O2 -g -Wall -Wextra -Werror
      app: main.cc list.hpp
      \t$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ main.cc
      test: app
      \t./app
      clean:
      \trm -f app

      """
    files["list.hpp"] = """
      struct List {
        int length() const;
        int unused() const;
      };
      int lonely(int x);

      """
    files["main.cc"] = """
      #include "list.hpp"
      int List::length() const { return 1; }
      int List::unused() const { return 2; }
      int lonely(int x) { return x; }
      int main() { return List().length() - 1; }

      """
    for name in ["list.h", "list.c", "main.c"] { files[name] = nil }
    try commit(files)
    try recordTests()
    #expect(try firstlight("retire").output == "")
    let result = try firstlight("retire", "-o", "a.diff", "--verify", "make clean && make test")
    #expect(result.status == 0, "\(result.errors)")
    try git("apply", "a.diff")
    let lines = try text("list.hpp").split(separator: "\n").map { $0.prefix { $0 != "\"" } }
    #expect(
      lines == [
        "struct List {", "  int length() const;", "  [[deprecated(", "  int unused() const;", "};",
        "[[deprecated(", "int lonely(int x);",
      ])
    for compiler in ["clang++", "g++"] {
      try Command.check(["make", "clean", "test", "CXX=\(compiler)"], in: project)
    }
    try recordTests()
    #expect(try firstlight("retire", "--verify", "make clean && make test").output == "")
  }
}
