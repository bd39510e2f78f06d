import Foundation
import TestSupport
import Testing

/// Functions that something uses without a call in compiled code.
@Suite(.tags(.compiler)) struct KeptByNameTests {
  private static let project = [
    "Makefile": """
    app: main.c tools.c entry.S
    \t$(CC) -O0 -g main.c tools.c entry.S -Wl,--wrap=calloc -o app
    test: app
    \t./app
    clean:
    \trm -f app

    """,
    "main.c": """
    #include <stdlib.h>
    int with_cleanup(int), renamed(int), via_asm(int), asm_entry(int), both(int);
    void *__real_calloc(size_t, size_t);
    void *__wrap_calloc(size_t n, size_t m) {
      return __real_calloc(n, m);
    }
    int main(int argc, char **argv) {
      (void)argv;
      if (argc < 5) return 0;
      free(calloc(1, 4));
      return with_cleanup(argc) + via_asm(argc) + asm_entry(argc) + both(argc);
    }

    """,
    "tools.c": """
    #include <stdlib.h>
    #define API
    static void drop(char **p) {
      free(*p);
    }
    #define AUTO_DROP __attribute__((cleanup(drop)))
    int with_cleanup(int n) {
      AUTO_DROP char *buffer = malloc(16);
      return buffer ? n : 0;
    }
    __attribute__((noinline)) int asm_target(int n) {
      return n * 2;
    }
    int via_asm(int n) {
      int result;
      __asm__ volatile("call asm_target" : "=a"(result) : "D"(n) : "rcx", "rdx", "rsi", "memory");
      return result;
    }
    int from_asm(int n) {
      return n * 3;
    }
    int real_helper(int n) {
      return n - 4;
    }
    static int soft_helper(int n) __attribute__((weakref("real_helper")));
    int both(int n) { return soft_helper(n); }
    #if defined(NEVER)
    int other(void) { return left_out(1); }
    #endif
    int left_out(int n) {
      return n + 5;
    }
    static int helper(int n) {
      return n + 6;
    }
    /* unused(1) */
    int unused(int n) {
      return helper(n);
    }
    __attribute__((constructor)) static void early(void) {}
    int after_constructor(int n) { return n; }
    int by_workflow(int n) { return n; }
    int by_vendored(int n) { return n; }
    int by_utf16(int n) { return n; }
    int by_joined(int n) { return n; }
    int power_show(int n) { return n; }
    int via_list_cmd(int n) { return n; }
    int by_map(int n) { return n; }
    int by_other_ending(int n) { return n; }
    int by_link(int n) { return n; }
    int by_condition(int n) { return n; }
    int by_product(int n) { return n; }
    int by_quote(int n) { return n; }
    int deep_impl(int n) { return n; }
    API int with_macro(int n) { return n; }
    static void __attribute__((__unused__)) dump(int n) { (void)n; }

    """,
    ".github/workflows/ci.yml": "run: nm app | grep by_workflow\n",
    "vendor/lib/x.c":
      "#ifdef NEVER\nint by_vendored(int);\nint x(void) { return by_vendored(2); }\n#endif\n",
    "cmds.list": "X(via_list)\n",
    "app.map": "{ global: by_map; };\n",
    "z.C": "// Other.\nint z() { return by_other_ending(1); }\n",
    ".buildkite/run": "nm app | grep by_link\n",
    "later.c": """
    #ifdef NEVER
    #define X(n) n##_cmd();
    #include "cmds.list"
    int x = 1 +
        ok && by_condition(2), w =
        scale * by_product(3);
    int v = c == '\\"' || c == *"//" || by_quote(4);
    #define CALL(x) __asm__("call " #x "_impl")
    void u(void) { CALL(deep); }
    int z(void) { return by_joi\\
    ned(2); }
    #define SHOW(n) n##_show
    int y(void) { return SHOW(power)(2); }
    #endif

    """,
    "entry.S": """
      .text
      .globl asm_entry
      .type asm_entry,@function
    asm_entry:
      sub $8, %rsp
      call from_asm
      add $8, %rsp
      ret
      .size asm_entry, .-asm_entry
      .section .note.GNU-stack,"",@progbits

    """,
  ]

  /// Swift's clang writes an index; GCC's programs keep relocations.
  @Test(arguments: ["clang", "gcc"])
  func wordsOfTheProjectKeepFunctionsOfC(compiler: String) throws {
    let directory = try TemporaryDirectory()
    for (name, text) in Self.project { try directory.write(text, to: name) }
    let exports = try #require("\u{feff}EXPORTS\r\n  by_utf16\r\n".data(using: .utf16LittleEndian))
    try exports.write(to: directory.url.appending(path: "app.def"))
    try Command.check(
      [
        Toolchain.firstlight, "test", "--build", "make CC=\(compiler) clean app", "--run",
        "make CC=\(compiler) test",
      ], in: directory.url)
    let dead = try Command.check(
      [Toolchain.firstlight, "dead", "--deletable", "--format", "github-actions"], in: directory.url
    )
    #expect(
      Set(Answer.annotated(dead)) == ["unused", "helper", "after_constructor", "with_macro"],
      "\(dead)")
    let all = try Command.check(
      [Toolchain.firstlight, "dead", "--index", "auto", "--format", "github-actions"],
      in: directory.url)
    #expect(
      all.contains(
        "left_out was never called in 1 recorded run; unreferenced; maybe by name: tools.c:28"))
  }

  /// Files behind links belong to the project, unless the links lead around it.
  @Test func filesBehindLinksAreRead() throws {
    let directory = try TemporaryDirectory()
    try directory.write("int start(void) { return by_plugin(1); }\n", to: "shared/p.c")
    try directory.write("int around(void) { return by_nothing(1); }\n", to: "q.c")
    try directory.write(
      """
      int main(void) { return 0; }
      int by_plugin(int n) { return n; }
      int by_nothing(int n) { return n; }

      """, to: "project/main.c")
    try directory.write(
      "app: main.c\n\tgcc -O0 -g main.c -o app\nclean:\n\trm -f app\n", to: "project/Makefile")
    let manager = FileManager.default
    for (link, target) in [("plugins", "../shared"), ("around", ".."), ("self", ".")] {
      try manager.createSymbolicLink(
        atPath: directory.path("project/\(link)"), withDestinationPath: target)
    }
    let project = directory.url.appending(path: "project")
    try Command.check(
      [Toolchain.firstlight, "test", "--build", "make clean app", "--run", "./app"], in: project)
    let dead = try Command.check(
      [Toolchain.firstlight, "dead", "--deletable", "--format", "github-actions"], in: project)
    #expect(dead.contains("by_nothing") && !dead.contains("by_plugin"), "\(dead)")
  }

  /// The index knows the lines of references to one of them, not the lines around.
  @Test func namesakesInABranchOfSwiftAreKept() throws {
    let program = try Fixture.swift(
      """
      struct Counter { func drain() {} }
      struct Console {
        func drain() {}
        func unused() {}
      }
      func use() {
        Counter().drain()
        #if os(Windows)
        Console().drain()
        #endif
      }
      use()

      """, options: ["-Onone", "-index-store-path", "index-store"])
    let dead = try Command.check(
      [
        Toolchain.firstlight, "dead", try program.record(), "--deletable", "--format",
        "github-actions",
      ],
      in: program.directory.url)
    let rows = dead.split(separator: "\n")
    #expect(rows.count == 1 && rows.first?.contains("unused()") == true, "\(dead)")
  }

  /// Deleting the subscript would change what the program does.
  @Test func membersThatOnlySwiftsCompilerNamesAreKept() throws {
    let program = try Fixture.swift(
      """
      class Model { var writes = 0 }
      @propertyWrapper struct Audited {
        private var stored: Int
        init(wrappedValue: Int) { stored = wrappedValue }
        var wrappedValue: Int { get { stored } set { stored = newValue } }
        static subscript<Owner: Model>(
          _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Int>,
          storage storage: ReferenceWritableKeyPath<Owner, Self>
        ) -> Int {
          get { owner[keyPath: storage].stored }
          set { owner.writes += 1 }
        }
      }
      final class Account: Model { @Audited var balance = 3 }
      struct Flag: Codable { var on: Bool }
      struct Settings: Codable { var flag: Flag }
      extension KeyedDecodingContainer {
        func decode(_ type: Flag.Type, forKey key: Key) throws -> Flag { Flag(on: false) }
      }
      func unused() -> Int { 1 }
      if CommandLine.arguments.count > 5 {
        let account = Account()
        account.balance += 1
        print(account.writes, Settings.self as any Decodable.Type)
      }

      """, options: ["-Onone", "-index-store-path", "index-store"])
    let dead = try Command.check(
      [
        Toolchain.firstlight, "dead", try program.record(), "--deletable", "--format",
        "github-actions",
      ],
      in: program.directory.url)
    let rows = dead.split(separator: "\n")
    #expect(rows.count == 1 && rows.first?.contains("unused()") == true, "\(dead)")
  }
}
