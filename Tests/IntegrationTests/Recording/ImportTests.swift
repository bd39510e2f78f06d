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

  @Test(
    .enabled(
      if: OtherTools.goRecordsCoverage, "needs go 1.20 or newer: Debian 13's, or another on PATH"))
  func goCoverageIsARecording() throws {
    let directory = try TemporaryDirectory()
    try directory.write("module example.com/shop\n\ngo 1.20\n", to: "go.mod")
    try directory.write(
      """
      package main

      import (
      \t"os"

      \t"example.com/shop/price"
      )

      func used(
      \tx int,
      ) int {
      \tf := func(y int) int { return y * 2 }
      \tif x > 5 {
      \t\treturn f(x)
      \t}
      \treturn x
      }

      func never() { os.Exit(3) }

      func main() {
      \tif used(len(os.Args)) > 3 {
      \t\tnever()
      \t}
      \tvar cart price.Cart
      \tcart.Add(1)
      \tif len(os.Args) > 3 {
      \t\tcart.Refund()
      \t\tprice.Largest(1, 2)
      \t}
      }
      """, to: "main.go")
    try directory.write(
      """
      package price

      type Cart struct{ n int }

      func (c *Cart) Add(n int) { c.n += n }

      func (c *Cart) Refund() { c.n = 0 }

      func Largest[T int | float64](a, b T) T {
      \tif a > b {
      \t\treturn a
      \t}
      \treturn b
      }
      """, to: "price/main.go")
    let environment = OtherTools.goEnvironment.merging(
      ["GOCOVERDIR": directory.path("counters")]) { $1 }
    let go = { (words: [String]) throws -> String in
      try Command.check(["go"] + words, in: directory.url, environment: environment)
    }
    _ = try go(["build", "-cover", "-gcflags=all=-l", "-o", "shop", "."])
    try FileManager.default.createDirectory(
      atPath: directory.path("counters"), withIntermediateDirectories: true)
    let binary = directory.path("shop")
    try Command.check([binary], environment: environment)
    _ = try go(["tool", "covdata", "textfmt", "-i=counters", "-o=shop.cov"])
    let profile = try imported("go", [directory.path("shop.cov")], binary, in: directory)
    // `go tool cover -func` prints place, name and share of each function.
    var expected: [String: Bool] = [:]
    for line in try go(["tool", "cover", "-func=shop.cov"]).split(separator: "\n") {
      let words = line.split(separator: "\t", omittingEmptySubsequences: true).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard words.count == 3, words[0].contains("/") else { continue }
      let place = words[0].dropLast().split(separator: "/").dropFirst(2).joined(separator: "/")
      expected[place] = words[2] != "0.0%"
    }
    #expect(expected.count == 6 && expected.values.filter { !$0 }.count == 3)
    var found: [String: Bool] = [:]
    for row in try Answer.dead([profile, "--all"]).functions {
      guard let file = row.file, ["called", "never called"].contains(row.verdict) else { continue }
      let folder = directory.url.resolvingSymlinksInPath().path + "/"
      found["\(file.replacing(folder, with: "")):\(row.line ?? 0)"] = row.verdict == "called"
    }
    #expect(found == expected)
  }
}
