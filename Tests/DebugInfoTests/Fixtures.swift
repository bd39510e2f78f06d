/// Small programs that the tests build.
enum Fixtures {
  /// Hooks that do nothing, for programs with guards.
  static let hooks = """
    #include <stdint.h>
    #define HOOK __attribute__((no_sanitize("coverage"), visibility("default")))
    HOOK void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { (void)guard; }
    HOOK void __sanitizer_cov_trace_pc_guard_init(uint32_t *a, uint32_t *b) { (void)a; (void)b; }
    HOOK void __sanitizer_cov_pcs_init(const uintptr_t *a, const uintptr_t *b) { (void)a; (void)b; }
    """

  /// Inlining, recursion, a static function, an alias, and a function of another file.
  static let main = """
    #include <stdio.h>
    #include "shape.h"

    static inline int twice(int x) {
      int y = x * 2;
      return y + shape_sides(x);
    }

    __attribute__((noinline)) static int local_sum(int n) {
      int sum = 0;
      for (int i = 0; i < n; i++) {
        sum += twice(i);
      }
      return sum;
    }

    int original(int x) { return x + 1; }
    int other_name(int x) __attribute__((alias("original")));

    __attribute__((noinline)) int never(int x) {
      return local_sum(x) * 3;
    }

    int main(int argc, char **argv) {
      printf("%d %s\\n", local_sum(argc) + other_name(argc), argv[0]);
      return argc > 100 ? never(argc) : 0;
    }
    """

  static let header = """
    int shape_area(int width, int height);
    static inline int shape_sides(int kind) {
      return kind == 3 ? 3 : shape_area(kind, kind);
    }
    """

  static let shape = """
    #include "shape.h"
    int shape_area(int width, int height) {
      int area = width * height;
      return area < 0 ? 0 : area;
    }
    """

  static let swift = """
    protocol Shape {
      associatedtype Unit
      func area(in unit: Unit) -> Int
    }

    struct Square: Shape, Hashable {
      var side: Int
      func area(in unit: Int) -> Int { clamp(side * side * unit) }
    }

    final class Box<Element> {
      private var items: [Element] = []
      func add(_ item: Element) { items.append(item) }
      var total: Int { items.reduce(0) { sum, _ in sum + 1 } }
    }

    extension Array where Element == Square {
      func areas() -> [Int] { map { $0.area(in: 2) } }
    }

    @inline(__always) func clamp(_ value: Int) -> Int {
      value > 1_000 ? 1_000 : value
    }

    func run(_ count: Int) -> Int {
      let squares = (0..<count).map { Square(side: $0) }
      let box = Box<Square>()
      for square in Set(squares) { box.add(square) }
      return squares.areas().reduce(0, +) + box.total
    }

    print(run(CommandLine.arguments.count))
    """
}

extension Toolbox {
  static let guards = "-fsanitize-coverage=func,trace-pc-guard,pc-table"

  /// Builds the C program; `flags` go to compiler and linker.
  func buildC(_ name: String, _ flags: [String]) throws {
    try write(Fixtures.main, to: "main.c")
    try write(Fixtures.header, to: "shape.h")
    try write(Fixtures.shape, to: "shape.c")
    try write(Fixtures.hooks, to: "hooks.c")
    try run(
      ["clang", "-g", "-fuse-ld=lld", "-Wl,--build-id"] + flags
        + ["main.c", "shape.c", "hooks.c", "-o", name])
  }

  /// Builds the Swift program; instrumented if `guards`.
  func buildSwift(_ name: String, _ flags: [String], guards: Bool = false) throws {
    try write(Fixtures.swift, to: "main.swift")
    try write(Fixtures.hooks, to: "hooks.c")
    try run("clang", "-fPIC", "-c", "hooks.c", "-o", "hooks.o")
    let coverage = [
      "-Xfrontend", "-sanitize=fuzzer", "-Xfrontend", "-sanitize-coverage=func,trace-pc-guard",
      "-Xllvm", "-sanitizer-coverage-pc-table=1",
    ]
    try run(
      ["swiftc", "-g", "-use-ld=lld", "-module-name", "Shapes", "-Xlinker", "--build-id"]
        + flags + (guards ? coverage + ["hooks.o"] : []) + ["main.swift", "-o", name])
  }
}
