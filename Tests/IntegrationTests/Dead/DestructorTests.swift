import Foundation
import TestSupport
import Testing

/// Never-called lists of C++ programs whose destructors clang replaces by those of base classes.
@Suite(.tags(.compiler), .enabled(if: ProgramTarget.isNative, "clang builds for the machine"))
struct DestructorTests {
  enum Recorder: CaseIterable {
    case counters, hooks, guards

    var flags: [String] {
      get throws {
        switch self {
        case .counters: try Toolchain.flags("clang", "--counters")
        case .hooks: try Toolchain.flags("clang", "--entry-hooks")
        case .guards: try Toolchain.flags("clang")
        }
      }
    }
  }

  /// Square: the symbol is an alias. Disc and Plain: calls go to the base class. Full: not empty. Never... do not run.
  private static let source = """
    #include <cstdio>
    static volatile int state;
    __attribute__((noinline)) static int work(int x) {
      for (int i = 0; i < 9; i++) state = state * x + i;
      return state;
    }
    struct Shape { virtual ~Shape(); virtual int area() = 0; };
    Shape::~Shape() { std::puts("gone"); }
    struct Square : Shape { ~Square() override; int area() override; };
    Square::~Square() {}
    int Square::area() { return 4; }
    struct Disc : Shape { ~Disc() override {} int area() override; };
    int Disc::area() { return 5; }
    struct Full : Shape { ~Full() override; int area() override; };
    Full::~Full() { work(1); std::puts("full"); work(2); }
    int Full::area() { return 6; }
    struct NeverFull : Shape { ~NeverFull() override; int area() override; };
    NeverFull::~NeverFull() { work(3); std::puts("never"); work(4); }
    int NeverFull::area() { work(3); std::puts("never"); return work(4); }
    struct NeverSquare : Shape { ~NeverSquare() override; int area() override; };
    NeverSquare::~NeverSquare() {}
    int NeverSquare::area() { work(5); std::puts("never"); return work(6); }
    struct Base { ~Base(); };
    Base::~Base() { work(7); std::puts("base"); work(8); }
    struct Plain : Base { ~Plain() {} };
    int main(int count, char **) {
      Square square; Disc disc; Full full; Plain plain;
      if (count > 5) { NeverFull one; NeverSquare two; return one.area() + two.area(); }
      return square.area() + disc.area() + full.area() - 15;
    }

    """

  /// Oracle: gcov, for what ran.
  @Test(arguments: Recorder.allCases, ["-O0", "-O1", "-O2", "-O3"])
  func destructorsThatRanAsThoseOfTheBaseClassAreNotListed(
    recorder: Recorder, option: String
  ) throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.source, to: "main.cpp")
    try Command.check(
      ["clang++", "-g", option, file, "-o", directory.path("program")] + recorder.flags)
    try Command.check(
      [
        Toolchain.firstlight, "record", "-o", directory.path("p.flp"), "--",
        directory.path("program"),
      ])
    let dead = try Answer.dead(["--all", directory.path("p.flp")])
    let listed = Set(dead.functions.filter { $0.verdict == "never called" }.map(\.shortName))

    let ran = try Self.functionsThatRan()
    #expect(ran.count == 11)
    #expect(
      ran.isSuperset(of: ["Shape::~Shape", "Square::~Square", "Disc::~Disc", "Plain::~Plain"]))
    #expect(listed.intersection(ran) == [])
    // Without counters and hooks, calls in copies leave no record.
    let isWhole = recorder != .guards || option == "-O0"
    #expect(
      !isWhole
        || listed.isSuperset(of: ["NeverFull::~NeverFull", "NeverFull::area", "NeverSquare::area"]))
    #expect(option != "-O0" || listed.contains("NeverSquare::~NeverSquare"))
    let called = Set(dead.functions.filter { $0.verdict == "called" }.map(\.shortName))
    #expect(called.isSubset(of: ran))
    #expect(!isWhole || called.isSuperset(of: ["Shape::~Shape", "Full::~Full"]))
  }

  private static func functionsThatRan() throws -> Set<String> {
    let covered = try TemporaryDirectory()
    let file = try covered.write(source, to: "main.cpp")
    try Command.check(["g++", "-w", "-O0", "--coverage", file, "-o", "covered"], in: covered.url)
    try Command.check([covered.path("covered")])
    let data = try #require(covered.entries.first { $0.hasSuffix(".gcda") })
    let text = try Command.check(["gcov", "-t", "-j", data], in: covered.url)
    let document = try JSONDecoder().decode(Coverage.self, from: Data(text.utf8))
    let functions = document.files.flatMap { $0.functions }.filter { $0.executionCount > 0 }
    return Set(functions.map { String($0.demangledName.prefix { $0 != "(" }) })
  }

  private struct Coverage: Decodable {
    struct File: Decodable { var functions: [Function] }
    struct Function: Decodable {
      var demangledName: String
      var executionCount: Int

      enum CodingKeys: String, CodingKey {
        case demangledName = "demangled_name"
        case executionCount = "execution_count"
      }
    }
    var files: [File]
  }
}
