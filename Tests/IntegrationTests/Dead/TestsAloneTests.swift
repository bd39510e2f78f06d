import Foundation
import TestSupport
import Testing

/// What tests alone call, with profiles of a program and of its tests.
@Suite(.tags(.compiler)) struct TestsAloneTests: ProjectTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let tests = ".build-firstlight/tests.flp"

  // MARK: Swift

  private static let package = [
    "Package.swift": """
    // swift-tools-version: 6.0
    import PackageDescription
    let package = Package(
      name: "shop",
      targets: [
        .target(name: "Shop"), .executableTarget(name: "app", dependencies: ["Shop"]),
        .testTarget(name: "ShopTests", dependencies: ["Shop"]),
      ])

    """,
    "Sources/app/main.swift": "import Shop\nprint(Ware().doubled())\n",
    "Sources/Shop/Ware.swift": """
    public struct Ware {
      var price = 3
      public init() {}
      public func doubled() -> Int { price * 2 }

      /// Only a test calls it.
      func exported() -> String {
        var text = "ware"
        for index in 0..<price { text += line(index) }
        return text
      }

      private func line(_ index: Int) -> String { "line \\(index)" }
      func halved() -> Int { price / 2 }
      func never() -> Int { 7 }
    }

    func legacy() -> Int { 4 }

    """,
    "Tests/ShopTests/ShopTests.swift": """
    import Testing
    import XCTest
    @testable import Shop

    @Test func doubles() { #expect(Ware().doubled() == 6) }
    @Test func halves() {
      let ware = Ware()
      #expect(ware.halved() * 4 < ware.doubled())
    }

    /// Goes.
    @Test func exports() { check(Ware().exported()) }

    func check(_ text: String) { #expect(text.count == 22) }

    final class OldTests: XCTestCase {
      func testLegacy() { XCTAssertEqual(legacy(), 4) }
    }

    """,
  ]

  /// The release build lacks what the program does not call; a debug build has it, and never calls it.
  @Test(arguments: [["-c", "release", "-Xswiftc", "-g"], []])
  func testsOfAPackageGoWithWhatTheyTest(options: [String]) throws {
    try commit(Self.package)
    let flags = try firstlight("flags", "swiftpm").output.split(separator: " ").map(String.init)
    try Command.check(
      ["swift", "build", "--scratch-path", ".build-app"] + options
        + flags.map { $0.trimmingCharacters(in: .newlines) }, in: project)
    let kind = options.isEmpty ? "debug" : "release"
    #expect(try firstlight("record", "-o", "app.flp", ".build-app/\(kind)/app").status == 0)
    #expect(try firstlight("test").status == 0)

    let list = try firstlight("dead", "app.flp", "--tests", Self.tests)
    #expect(list.status == 0, "\(list.errors)")
    let parts = list.output.components(separatedBy: "Called by neither the program nor its tests")
    let rows = parts[0].split(separator: "\n").filter { $0.contains("Sources/Shop") }
    #expect(rows.count == 4)
    for (name, test) in [
      ("exported", "exports()"), ("line", "exports()"), ("halved", "halves()"),
      ("legacy", "testLegacy()"),
    ] {
      let row = rows.first { $0.contains("\(name)(") }
      #expect(row?.contains("test: \(test)") == true, "\(rows)")
      #expect(row?.contains("not in the program") == (kind == "release"))
    }
    #expect(parts.last?.contains("Ware.never()") == true)
    let why = try firstlight("why", "Ware.halved()", "app.flp", "--tests", Self.tests)
    #expect(why.output.contains("only they called it; "), "\(why.output)\(why.errors)")

    let json = try firstlight("dead", "app.flp", "--tests", Self.tests, "--format", "json")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let totals = object?["totals"] as? [String: Any]
    let alone = totals?["calledByTestsAlone"] as? [String: Any]
    #expect(alone?["functions"] as? Int == 4)

    let plain = try firstlight("prune", "app.flp", "--tests", Self.tests)
    #expect(plain.errors.contains("removes 1 function ("))
    #expect(try firstlight("prune", "app.flp", "--with-tests").status == 64)
    let result = try firstlight(
      "prune", "app.flp", "--tests", Self.tests, "--with-tests", "-o", "p.diff", "--verify")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("removes 4 functions and 2 functions of tests ("), "\(result.errors)")
    #expect(
      result.errors.contains(
        "keeps Ware.halved(): a test of live code refers to it: halves(), which also tests doubled()"
      ))
    #expect(result.errors.contains("verified in 1 run"))
    try Command.check(["git", "apply", "p.diff"], in: project)
    let left = try text("Tests/ShopTests/ShopTests.swift")
    #expect(left.contains("doubles()") && left.contains("halves()"))
    #expect(!left.contains("exports") && !left.contains("legacy"))
    // It refers to nothing that goes.
    #expect(left.contains("func check(_"))
  }

  // MARK: C

  private static let make = [
    "Makefile": """
    CC = gcc
    CFLAGS = -O2 -Wall -Werror
    app: main.o list.o
    \t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ main.o list.o
    tests/test_list: tests/test_list.c list.o
    \t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ tests/test_list.c list.o
    main.o list.o: list.h
    check: tests/test_list
    \t./tests/test_list
    clean:
    \trm -f app *.o tests/test_list

    """,
    "list.h": """
    int list_length(int x);
    int list_reversed(int x);
    int list_sorted(int x);

    """,
    "list.c": """
    #include "list.h"
    int list_length(int x) { return x + 1; }
    static int helper(int x) { return x * 3; }
    int list_reversed(int x) { return helper(x) - 1; }
    int list_sorted(int x) { return x - 4; }

    """,
    "main.c": """
    #include "list.h"
    int main(void) { return list_length(3) != 4; }

    """,
    "tests/test_list.c": """
    #include "../list.h"
    #define RUN(test) failures += test()
    static int failures;

    static int test_length(void) { return list_length(1) != 2; }

    /* Goes. */
    static int test_reversed(void) { return list_reversed(2) != 5; }

    static int test_sorted(void) { return list_sorted(list_length(4)) != 1; }

    int main(void)
    {
      RUN(test_length);
      RUN(test_reversed);
      RUN(test_sorted);
      return failures != 0;
    }

    """,
  ]

  @Test func testsOfAMakeProjectGoWithTheirEntries() throws {
    try commit(Self.make)
    let flags = try firstlight("flags", "gcc").output.trimmingCharacters(in: .newlines)
    try Command.check(["make", "app", "CFLAGS=-O2 -g \(flags)", "LDFLAGS=\(flags)"], in: project)
    #expect(try firstlight("record", "-o", "app.flp", "./app").status == 0)
    let test = try firstlight(
      "test", "--build", "make clean tests/test_list", "--run", "make check")
    #expect(test.status == 0, "\(test.errors)")
    // The newest profile is that of the tests.
    for command in [["dead"], ["prune"], ["why", "helper"]] {
      let result = try Command.run(
        [Toolchain.firstlight] + command + ["--tests", Self.tests], in: project)
      #expect(result.status == 64 && result.errors.split(separator: "\n").count == 1)
      #expect(result.errors.contains("--tests needs a profile of the program, too"))
    }

    let json = try firstlight("dead", "app.flp", "--tests", Self.tests, "--format", "json")
    let list = try JSONDecoder().decode(DeadDocument.self, from: Data(json.output.utf8))
    let tests = list.functions.compactMap(\.tests).filter { $0.calls == true }.map {
      $0.functions.map(\.name)
    }
    #expect(tests.contains(["test_reversed"]) && tests.contains(["test_sorted"]))

    let pruned = try firstlight(
      "prune", "app.flp", "--tests", Self.tests, "--with-tests", "-o", "p.diff", "--verify",
      "make clean app check")
    #expect(
      pruned.errors.contains("removes 2 functions and 1 function of tests"), "\(pruned.errors)")
    #expect(
      pruned.errors.contains(
        "list_sorted: a test of live code refers to it: test_sorted, which also tests list_length"))
    try Command.check(["git", "apply", "p.diff"], in: project)
    #expect(
      try text("tests/test_list.c") == """
        #include "../list.h"
        #define RUN(test) failures += test()
        static int failures;

        static int test_length(void) { return list_length(1) != 2; }

        static int test_sorted(void) { return list_sorted(list_length(4)) != 1; }

        int main(void)
        {
          RUN(test_length);
          RUN(test_sorted);
          return failures != 0;
        }

        """)
    try Command.check(["make", "clean", "app", "check"], in: project)
    // Another program's tests are refused.
    try FileManager.default.removeItem(at: project.appending(path: Self.tests))
    try directory.write(
      "int other(void) { return 0; }\nint main(void) { return other(); }\n", to: "project/x.c")
    try Command.check(["sh", "-c", "gcc -g x.c -o x \(flags)"], in: project)
    #expect(try firstlight("record", "-o", "x.flp", "./x").status == 0)
    #expect(try firstlight("dead", "app.flp", "--tests", "x.flp").status == 65)
  }
}
