import DebugInfo
import FirstlightModel
import Testing

/// Which functions of C++ debug information says that a compiler generated.
@Suite struct WrittenMemberTests {
  private static let source = """
    #include <string>
    struct Base { virtual ~Base() = default; std::string name; };
    struct Thing : Base { int value = 3; };
    struct Written { Written(int); ~Written(); int n; };
    Written::Written(int x) : n(x) {}
    Written::~Written() { n = 0; }
    auto global = [](int n) { return n + 1; };
    int main(int count, char **) {
      Thing thing; Thing other = thing; other = thing;
      auto add = [count](int n) { return n + count; };
      Written written(3);
      return add(3) + global(count) == 0;
    }
    """

  /// GCC marks lambdas like generated members, and gives them no line.
  @Test(arguments: ["g++", "clang++"])
  func membersThatCompilersGenerateAreNotWritten(compiler: String) throws {
    let tools = try Toolbox()
    try tools.write(Self.source, to: "a.cpp")
    try tools.run(compiler, "-g", "-O0", "a.cpp", "-o", "a")
    let functions = try DebugImage(path: tools.path("a")).symbolBuild(recordedPath: "/p").functions
    let written = functions.filter {
      !$0.isCompilerGenerated && $0.file?.hasSuffix("a.cpp") == true
    }
    var lines: [Int: Int] = [:]
    for function in written { lines[function.line, default: 0] += 1 }
    // The destructor that line 2 defaults has several symbols.
    #expect(Set(lines.keys) == [2, 5, 6, 7, 8, 10], "\(written.map(\.demangledName))")
    #expect(written.allSatisfy { !$0.demangledName.hasPrefix("Thing::") })
  }
}
