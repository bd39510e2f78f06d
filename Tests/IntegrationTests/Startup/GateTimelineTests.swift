import Foundation
import TestSupport
import Testing

/// What a gate leaves beside a regression.
@Suite(.tags(.compiler)) struct GateTimelineTests {
  private func program(_ steps: Int, named name: String, in directory: TemporaryDirectory) throws {
    try directory.write(
      """
      __attribute__((noinline)) int grown(int n) {
        volatile unsigned sum = 0;
        for (unsigned i = 0; i < \(steps)u; i++) sum += i * sum;
        return sum + n;
      }
      __attribute__((noinline)) int steady(int n) { return grown(n) + 1; }
      int main(int n, char **v) { return steady(n) == 0; }
      """, to: "\(name).c")
    try Command.check(
      ["clang", "-g", "-O1", "-fuse-ld=lld", "\(name).c", "-o", name], in: directory.url)
  }

  @Test func thePageNamesTheFunctionThatGrew() throws {
    let directory = try TemporaryDirectory()
    try program(500_000, named: "app.good", in: directory)
    try program(20_000_000, named: "app", in: directory)
    let page = directory.path("page.html")
    let result = try Command.run(
      [
        Toolchain.firstlight, "gate", "--against", directory.path("app.good"), "--runs", "10",
        "--timeline", page, "--", directory.path("app"),
      ])
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    // Where nothing can be traced the verdict stands alone.
    if result.errors.contains("no comparison of function times") {
      #expect(result.errors.contains("traced"), "\(result.errors)")
      return
    }
    let text = try String(contentsOfFile: page, encoding: .utf8)
    let grown = try #require(text.range(of: ">grown<"))
    if let steady = text.range(of: ">steady<") { #expect(grown.lowerBound < steady.lowerBound) }
    for side in ["old", "new"] {
      #expect(FileManager.default.fileExists(atPath: directory.path("page.\(side).html")))
    }
  }

  @Test func aPageNeedsTheOldBinary() throws {
    let result = try Command.run(
      [Toolchain.firstlight, "gate", "--baseline", "x", "--timeline", "y", "--", "true"])
    #expect(result.status == 192 && result.errors.contains("--against"), "\(result.errors)")
  }
}
