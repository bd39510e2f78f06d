import Foundation
import TestSupport
import Testing

/// Profiles of LLVM and Go as recordings, held to what their own tools say of them.
@Suite(.tags(.compiler)) struct ImportTests {
  private func imported(
    _ kind: String, _ files: [String], _ binary: String, in directory: TemporaryDirectory
  ) throws -> String {
    let profile = directory.path("\(UUID().uuidString).flp")
    try Command.check(
      [Toolchain.firstlight, "import", kind] + files + ["--binary", binary, "-o", profile])
    return profile
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
    let profile = try imported("llvm", files, binary, in: directory)
    // The order is that of the first calls, and each local function is the one of its file.
    let shown = try Command.check(
      ["llvm-profdata", "show", "--temporal-profile-traces", directory.path("long.profraw")])
    #expect(shown.contains("main\n    other\n    other.c;step\n    main.c;step\n    late\n"))
    let long = try imported("llvm", [files[1]], binary, in: directory)
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
    let raw = try Command.run([
      Toolchain.firstlight, "import", "llvm", directory.path("long.profraw"), "--binary", binary,
      "-o", profile,
    ])
    #expect(raw.status == 65 && raw.errors.contains("llvm-profdata merge --text"))
  }
}
