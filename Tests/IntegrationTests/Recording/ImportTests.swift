import Foundation
import TestSupport
import Testing

/// Profiles of LLVM as recordings, held to what their own tools say of them.
@Suite(.tags(.compiler)) struct ImportTests {
  private func imported(
    _ files: [String], _ binary: String, in directory: TemporaryDirectory
  ) throws -> String {
    let profile = directory.path("\(UUID().uuidString).flp")
    try Command.check(
      [Toolchain.firstlight, "import", "llvm"] + files + ["--binary", binary, "-o", profile])
    return profile
  }

  private func refused(_ file: String, _ binary: String, in directory: TemporaryDirectory) throws
    -> String
  {
    let profile = directory.path("refused.flp")
    let result = try Command.run([
      Toolchain.firstlight, "import", "llvm", file, "--binary", binary, "-o", profile,
    ])
    #expect(result.status == 65 && !FileManager.default.fileExists(atPath: profile))
    #expect(result.errors.split(separator: "\n").count == 1)
    return result.errors
  }

  /// The build id of a binary, by readelf.
  private func buildID(_ binary: String) throws -> String {
    let notes = try Command.check(["llvm-readelf", "-n", binary])
    return String(try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).1)
  }

  /// Two files have a local function of the same name.
  @Test func llvmTracesAreRecordings() throws {
    let directory = try TemporaryDirectory()
    let own = "__attribute__((noinline)) static int step(int x) { return x * 3 + 1; }\n"
    try directory.write(
      own + "int other(int x) { return step(x); }\nint never(int x) { return x + 2; }\n",
      to: "other.c")
    try directory.write(
      own + """
        int other(int), never(int);
        int uncompiled(int);
        __attribute__((noinline)) int late(int x) { return x + 5; }
        int main(int count, char **v) {
          (void)v;
          int x = other(count);
          if (count > 1) x += step(x) + late(x);
          return count > 9 ? never(x) + uncompiled(x) : 0;
        }
        """, to: "main.c")
    try directory.write("int uncompiled(int x) { return x; }\n", to: "plain.c")
    let binary = directory.path("app")
    try Command.check(["clang", "-g", "-c", "plain.c"], in: directory.url)
    try Command.check(
      [
        "clang", "-g", "-O0", "-fuse-ld=lld", "-fprofile-generate", "-mllvm",
        "-pgo-temporal-instrumentation", "main.c", "other.c", "plain.o", "-o", binary,
      ], in: directory.url)
    for (name, arguments) in [("short", []), ("long", ["x"])] {
      try Command.check(
        [binary] + arguments, environment: ["LLVM_PROFILE_FILE": directory.path("\(name).profraw")])
      try Command.check(
        ["llvm-profdata", "merge", "--text", "\(name).profraw", "-o", "\(name).proftext"],
        in: directory.url)
    }
    let files = ["short", "long"].map { directory.path("\($0).proftext") }
    let profile = try imported(files, binary, in: directory)
    // The order is that of the first calls, and each local function is the one of its file.
    let shown = try Command.check(
      ["llvm-profdata", "show", "--temporal-profile-traces", directory.path("long.profraw")])
    #expect(shown.contains("main\n    other\n    other.c;step\n    main.c;step\n    late\n"))
    let long = try imported([files[1]], binary, in: directory)
    #expect(
      try Answer.order([long, "--strategy", "first-call"]) == ["main", "other", "step", "late"])
    // What was compiled without instrumentation is in no list.
    let dead = try Answer.dead([profile, "--all"])
    let rows = Dictionary(
      dead.functions.map { ("\($0.shortName) \($0.file?.split(separator: "/").last ?? "")", $0) },
      uniquingKeysWith: { first, _ in first })
    #expect(rows["never other.c"]?.verdict == "never called")
    #expect(rows["step main.c"]?.calledRuns == 1 && rows["step other.c"]?.calledRuns == 2)
    #expect(rows["main main.c"]?.calledRuns == 2 && rows["late main.c"]?.calledRuns == 1)
    #expect(rows["uncompiled plain.c"] == nil)
    // Raw profiles give the same.
    let raw = ["short", "long"].map { directory.path("\($0).profraw") }
    let same = try Answer.dead([imported(raw, binary, in: directory), "--all"])
    #expect(same.functions.map(\.shortName) == dead.functions.map(\.shortName))
    #expect(same.functions.map(\.calledRuns) == dead.functions.map(\.calledRuns))
  }

  private static let counted = [
    "-g", "-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-Wl,--build-id=sha1",
  ]

  /// Functions of both programs, and of two libraries, have the same names and shapes.
  @Test func filesOfAnotherBuildAreRefused() throws {
    let directory = try TemporaryDirectory()
    let library = "int step(int x) { return x; }\n"
    let source =
      "int step(int); int main(int count, char **v) { (void)v; return step(count) - 1; }\n"
    try directory.write(library, to: "step.c")
    try directory.write(source, to: "one.c")
    try directory.write(source + "int added(int x) { return x; }\n", to: "two.c")
    for name in ["one", "two"] {
      try Command.check(
        ["clang"] + Self.counted + ["\(name).c", "step.c", "-o", name], in: directory.url)
    }
    let (one, two) = (directory.path("one"), directory.path("two"))
    let (raw, merged) = (directory.path("one.profraw"), directory.path("one.profdata"))
    try Command.check([one], environment: ["LLVM_PROFILE_FILE": raw])
    try Command.check(["llvm-profdata", "merge", raw, "-o", merged])
    for file in [raw, merged] {
      let line = try refused(file, two, in: directory)
      #expect(line.contains("is of another binary, whose build id is \(try buildID(one))"))
      #expect(line.contains("its build id is \(try buildID(two))"))
      #expect(line.contains("never ran there"))
      #expect(try Answer.dead([imported([file], one, in: directory)]).mangledNames == [])
    }
    // Of several files, the others are left out.
    let other = directory.path("two.profraw")
    try Command.check([two], environment: ["LLVM_PROFILE_FILE": other])
    let some = directory.path("some.flp")
    let result = try Command.run([
      Toolchain.firstlight, "import", "llvm", raw, other, "--binary", two, "-o", some,
    ])
    #expect(result.status == 0 && result.errors.contains("left out"), "\(result.errors)")
    #expect(result.errors.contains("imported 1 run, 2 of 3 functions called"))
    #expect(try Answer.dead([some]).mangledNames == ["added"])
    // One that merges both counts functions together.
    let both = directory.path("both.profdata")
    try Command.check(["llvm-profdata", "merge", raw, other, "-o", both])
    let sums = try Command.run([
      Toolchain.firstlight, "import", "llvm", both, "--binary", two, "-o", some,
    ])
    #expect(sums.status == 0 && sums.errors.contains("adds up 2 binaries"), "\(sums.errors)")
  }

  /// The oldest LLVM of this machine.
  private static let oldest =
    (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib"))?
    .compactMap { $0.hasPrefix("llvm-") ? Int($0.dropFirst(5)) : nil }.min()
    .map { "/usr/lib/llvm-\($0)/bin" }

  /// A text names no build. LLVM 14, first on PATH, reads it, but not the mapping of a binary of LLVM 21.
  @Test(.enabled(if: oldest != nil)) func olderToolsArePassedOver() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      "int idle(int x) { return x; }\nint main(int n, char **v) { (void)v; return n > 8 ? idle(n) : 0; }\n",
      to: "main.c")
    let binary = directory.path("app")
    try Command.check(["clang"] + Self.counted + [source, "-o", binary])
    try Command.check([binary], environment: ["LLVM_PROFILE_FILE": directory.path("app.profraw")])
    let text = directory.path("app.proftext")
    try Command.check(
      ["llvm-profdata", "merge", "--text", directory.path("app.profraw"), "-o", text])
    let profile = directory.path("app.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "import", "llvm", text, "--binary", binary, "-o", profile],
      environment: ["PATH": "\(Self.oldest!):\(Toolchain.path)"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("warning: \(text): names no build"))
    let dead = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(dead.output.contains("names no build") && dead.output.contains("idle"))
  }

  @Test(arguments: ["lcov", "sancov"])
  func othersAreNotImported(kind: String) throws {
    let result = try Command.run([
      Toolchain.firstlight, "import", kind, "app.info", "--binary", "app", "-o", "app.flp",
    ])
    #expect(result.status == 64 && result.errors.contains("'\(kind)'"), "\(result.errors)")
  }
}
