import Foundation
import TestSupport
import Testing

/// Lists of programs that breakpoints watched: these are on all functions, and somebody wrote a few of them.
@Suite(.tags(.compiler)) struct WrittenFunctionTests {
  @Test func breakpointsListWhatIsWritten() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      """
      #include <string>
      #include <vector>
      struct Shape { std::string name; virtual ~Shape() {} virtual int corners() { return 1; } };
      static std::vector<int> table{1, 2, 3};
      int never() { return 5; }
      int main(int count, char **) {
        Shape shape;
        if (count > 2) { never(); throw 1; }
        std::vector<Shape> shapes;
        shapes.push_back(shape);
        return 0;
      }
      """, to: "main.cpp")
    let program = directory.path("program")
    try Command.check(["clang++", "-g", "-O0", file, "-o", program] + Fixture.plain)
    // The compiler's own functions are there.
    #expect(try Command.check(["llvm-nm", program]).contains("__clang_call_terminate"))
    let watched = try Watched.run([program], in: directory)
    let list = try Answer.dead([watched.profile])
    #expect(list.mangledNames == ["_Z5neverv", "_ZN5Shape7cornersEv"])
    // What ran and is in no source file is no function of one's own either.
    let all = try Answer.dead([watched.profile, "--all"])
    for name in ["_start", "frame_dummy"] {
      #expect(all.verdict(ofLinkerName: name) == "compiler-generated")
    }
    #expect(all.verdict(ofLinkerName: "main") == "called")
  }

  @Test func valueWitnessesAreNobodysOwnWithoutDebugInformationToo() throws {
    let program = try Fixture.swift(
      """
      struct Pair: Equatable { var a: Int; var b: String }
      enum Problem: Error { case none, some(String) }
      @inline(never) func never(_ pair: Pair) -> Bool { pair == Pair(a: 1, b: "") }
      @inline(never) func report(_ problem: Problem) { print(problem) }
      if CommandLine.arguments.count > 3 { print(never(Pair(a: 2, b: "x"))); report(.none) }
      """, options: ["-Onone", "-gnone"], flags: Fixture.plainSwift)
    let watched = try Watched.run([program.executable], in: program.directory)
    let names = try Answer.dead([watched.profile, "--all"]).functions
      .filter { $0.verdict == "inlined" }.map(\.name)
    #expect(names.contains { $0.contains("never(") })
    #expect(names.filter { $0.contains("value witness") || $0.contains("__derived_") } == [])
  }
}
