import Foundation
import TestSupport
import Testing

/// Patches of real projects, applied by git, built and tested by real tools.
@Suite(.tags(.compiler)) struct PruneTests: ProjectTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func prune(_ arguments: String...) throws -> CommandResult {
    try Command.run(
      [Toolchain.firstlight, "prune"] + arguments, in: project,
      environment: ["TMPDIR": directory.path("temporary")])
  }

  // MARK: Swift

  private static let package = [
    "Package.swift": """
    // swift-tools-version: 6.0
    import PackageDescription
    let package = Package(
      name: "shop",
      targets: [.target(name: "Shop"), .testTarget(name: "ShopTests", dependencies: ["Shop"])])

    """,
    "Sources/Shop/Ware.swift": """
    struct Ware {
      var price = 3

      func doubled() -> Int { price * 2 }

      /// Not used.
      func hidden() -> Int {
        func inner() -> Int { secret() }
        return inner()
      }

      private func secret() -> Int { 4 }

      // firstlight:keep - for later
      func kept() -> Int { 5 }
    }

    """,
    "Sources/Shop/Old.swift":
      "/// Old.\nfunc old() -> Int { older() }\nfunc older() -> Int { 1 }\n",
    "Tests/ShopTests/ShopTests.swift": """
    import Testing
    @testable import Shop
    @Test func doubles() { #expect(Ware().doubled() == 6) }

    """,
    // What no index knows.
    "Late.txt": "func late() -> Int { older() }\n",
  ]

  @Test func patchOfAPackageAppliesAndPasses() throws {
    try commit(Self.package)
    try FileManager.default.createDirectory(
      at: directory.url.appending(path: "temporary"), withIntermediateDirectories: true)
    try Command.check([Toolchain.firstlight, "test"], in: project)

    let plain = try prune("-o", "plain.diff")
    #expect(plain.status == 0, "\(plain.errors)")
    try Command.check(["git", "apply", "--check", "plain.diff"], in: project)
    #expect(try text("plain.diff").contains("deleted file"))
    // A local function counts in both.
    let list = try Command.check([Toolchain.firstlight, "dead", "--deletable"], in: project)
    #expect(list.contains("\n5 functions, ") && list.contains("can be deleted."), "\(list)")
    #expect(plain.errors.contains("removes 5 functions ("), "\(plain.errors)")
    #expect(try text("Sources/Shop/Ware.swift") == Self.package["Sources/Shop/Ware.swift"])

    let result = try prune(
      "-o", "verified.diff", "--verify", "cp Late.txt Sources/Shop/Late.swift && swift build")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("took back older(): Sources/Shop/Late.swift:1:22: error: "))
    #expect(result.errors.contains("verified in 2 runs"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path("temporary"))
        .filter { $0.hasPrefix("firstlight") } == [])
    #expect((try? text("Sources/Shop/Late.swift")) == nil)

    try Command.check(["git", "apply", "--check", "verified.diff"], in: project)
    try Command.check(["git", "apply", "verified.diff"], in: project)
    #expect(try text("Sources/Shop/Old.swift") == "func older() -> Int { 1 }\n")
    #expect(
      try text("Sources/Shop/Ware.swift") == """
        struct Ware {
          var price = 3

          func doubled() -> Int { price * 2 }

          // firstlight:keep - for later
          func kept() -> Int { 5 }
        }

        """)
    try Command.check(["swift", "test"], in: project)
    #expect(try prune("-o", "late.diff").status == 65)
  }

  // MARK: C

  private static let make = [
    "Makefile": """
    CC = clang
    CFLAGS = -g -Wall -Werror -index-store-path index-store
    app: main.o list.o
    \t$(CC) $(LDFLAGS) -o $@ main.o list.o
    main.o list.o: list.h
    test: app
    \t./app
    clean:
    \trm -f app *.o

    """,
    "list.h": """
    #ifndef LIST_H
    #define LIST_H
    int length(int x);
    /* Unused. */
    int unused_length(int x);
    #endif

    """,
    "list.c": """
    #include "list.h"
    int length(int x) { return x + 1; }

    static int help(x)
      int x;
    {
      return x;
    }

    /** Not used. */
    int unused_length(int x) { return help(x); }

    """,
    "main.c": """
    #include "list.h"
    int main(void) { return length(1) == 2 ? 0 : 1; }

    """,
  ]

  /// Writes it, and records its tests.
  private func recordMakeProject(_ files: [String: String] = make) throws {
    try commit(files)
    try FileManager.default.createDirectory(
      at: directory.url.appending(path: "temporary"), withIntermediateDirectories: true)
    try Command.check(
      [
        Toolchain.firstlight, "test", "--build",
        "make clean app CFLAGS='-g -w -index-store-path index-store {flags}' LDFLAGS='{flags}'",
        "--run", "make test CFLAGS='-g -w -index-store-path index-store {flags}'",
      ], in: project)
  }

  @Test func patchOfAMakeProjectAppliesAndPasses() throws {
    try recordMakeProject()
    let tested = try prune("-o", "tested.diff", "--verify")
    #expect(tested.status == 0 && tested.errors.contains("verified in 1 run"), "\(tested.errors)")
    try FileManager.default.removeItem(at: project.appending(path: ".build-firstlight/commands"))
    let missing = try prune("-o", "prune.diff", "--verify")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("--verify 'make && make test'"))
    // As git does when it restores a file.
    try FileManager.default.setAttributes(
      [.modificationDate: Date()],
      ofItemAtPath: project.appending(path: "list.c").path)
    let result = try prune("-o", "prune.diff", "--verify", "make clean && make test")
    #expect(try text("prune.diff") == text("tested.diff"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("removes 2 functions"))
    #expect(result.errors.contains(", which list.h declares: other programs may call it"))
    let list = try Command.run([Toolchain.firstlight, "dead", "--deletable"], in: project)
    #expect(list.output.contains("; list.h declares it: other programs may call it"), "\(list)")
    #expect(result.errors.contains("verified in 1 run"))
    try Command.check(["git", "apply", "prune.diff"], in: project)
    #expect(try text("list.c") == "#include \"list.h\"\nint length(int x) { return x + 1; }\n")
    #expect(try !text("list.h").contains("unused"))
    try Command.check(["make", "clean", "test"], in: project)
  }

  @Test func printedCommandAppliesPatchesOfSourcesWithCarriageReturns() throws {
    var files = Self.make
    files["list.c"] = files["list.c"]?.replacing("\n", with: "\r\n")
    try recordMakeProject(files)
    let result = try prune("--by-owner", "-o", "patches")
    let line = try #require(result.errors.split(separator: "\n").last)
    let command = try #require(line.firstRange(of: "git am --keep-cr "))
    try Command.check(
      ["sh", "-c", String(line[command.lowerBound...])], in: project,
      environment: ["GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.org"])
    #expect(
      try text("list.c") == "#include \"list.h\"\r\nint length(int x) { return x + 1; }\r\n")
  }

  @Test func aWrongOptionNamesTheHelpThatTellsTheRightOnes() throws {
    try commit(["Makefile": ""])
    let result = try prune("--deletable")
    #expect(result.status == 64)
    #expect(
      result.errors.hasSuffix("unknown option '--deletable'; see 'firstlight prune --help'\n"))
  }

  // MARK: Verification

  @Test func commandThatHangsIsEnded() throws {
    try recordMakeProject()
    let result = try prune(
      "-o", "prune.diff", "--verify", "sleep 1000 & sleep 1000", "--time-limit", "1s")
    #expect(result.status == 65)
    #expect(result.errors.contains("longer than 1"))
    #expect((try? text("prune.diff")) == nil)

    let running = try Command.start(
      [
        Toolchain.firstlight, "prune", "-o", "prune.diff", "--verify",
        "echo > ../../started; sleep 999",
      ],
      in: project, environment: ["TMPDIR": directory.path("temporary")])
    func started() -> Bool {
      let temporary = directory.path("temporary")
      return ((try? FileManager.default.contentsOfDirectory(atPath: temporary)) ?? []).contains {
        FileManager.default.fileExists(atPath: "\(temporary)/\($0)/started")
      }
    }
    try running.wait(until: started)
    running.send(SIGINT)
    let ended = try running.wait()
    #expect(ended.signalled && ended.status == SIGINT)
    #expect(ended.errors.hasSuffix("interrupted while verifying; no patch was written\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("temporary")) == [])
  }
}
