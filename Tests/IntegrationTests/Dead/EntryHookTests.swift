import Foundation
import TestSupport
import Testing

/// Never-called lists of C and C++ programs with entry hooks, as gcc and clang build them. `Scripts/truth`
/// holds such lists of generated programs against gcov.
@Suite(.tags(.compiler), .enabled(if: ProgramTarget.isNative, "gcc builds for the machine"))
struct EntryHookTests {
  enum Compiler: String, CaseIterable { case gcc, clang }

  private static func flags(_ compiler: Compiler) throws -> [String] {
    try compiler == .gcc
      ? Toolchain.flags("gcc") : Toolchain.flags("clang", "--entry-hooks")
  }

  /// A program of these files, built with hooks.
  private func build(
    _ files: [String: String], _ compiler: Compiler, _ options: [String],
    in directory: TemporaryDirectory
  ) throws -> String {
    let sources = try files.filter { !$0.key.hasSuffix(".h") }.keys.sorted().map { name in
      try directory.write(files[name]!, to: name)
    }
    for (name, text) in files where name.hasSuffix(".h") { try directory.write(text, to: name) }
    let isCxx = sources.contains { $0.hasSuffix(".cpp") }
    let name = isCxx ? ["gcc": "g++", "clang": "clang++"][compiler.rawValue]! : compiler.rawValue
    let program = directory.path("program")
    try Command.check(
      [name, "-g", "-w"] + options + sources + ["-o", program] + Self.flags(compiler))
    return program
  }

  private func record(_ program: String, in directory: TemporaryDirectory) throws -> String {
    let profile = directory.path("\(UUID().uuidString).flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", program])
    return profile
  }

  // MARK: Short functions, which optimisers copy without a trace

  /// Functions 0 to 99; main calls every third, through wrappers that optimisers inline.
  private static let short: String = {
    var text = "static volatile int state;\n"
    for number in 0..<100 {
      text += """
        static inline int value\(number)(int x) { return x + \(number); }
        int wrapper\(number)(int x) { return value\(number)(x) * 2; }
        static void nothing\(number)(void) {}

        """
    }
    text += "int main(int count, char **arguments) {\n"
    for number in 0..<100 {
      let condition = number % 3 == 0 ? "" : "if (count > 5) "
      text += "  \(condition){ state += wrapper\(number)(count); nothing\(number)(); }\n"
    }
    return text + "  return 0;\n}\n"
  }()

  /// Oracle: gcov, for what ran; nm, for what exists.
  @Test(arguments: Compiler.allCases, ["-O0", "-O1", "-O2", "-O3", "-Os"])
  func theListOfAProgramOfShortFunctionsIsComplete(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(["main.c": Self.short], compiler, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])

    let covered = try TemporaryDirectory()
    let source = try covered.write(Self.short, to: "main.c")
    try Command.check(
      ["gcc", "-w", "-O0", "--coverage", source, "-o", "covered"], in: covered.url)
    try Command.check([covered.path("covered")])
    let data = try #require(covered.entries.first { $0.hasSuffix(".gcda") })
    let text = try Command.check(["gcov", "-f", data], in: covered.url)
    var ran: [String: Bool] = [:]
    for match in text.matches(of: /Function '(\w+)'\n(?:Lines executed:([0-9.]+)%|No exec)/) {
      ran[String(match.1)] = match.2.flatMap { Double($0) } ?? 0 > 0
    }
    #expect(ran.count == 301)
    let symbols = try Command.check(["nm", program]).matches(of: /(?m)^\w+ [tT] (\w+)$/)
    let existing = Set(symbols.map { String($0.1) }).intersection(ran.keys)
    let listed = dead.mangledNames(of: "never called")
    #expect(listed.filter { ran[$0] != false } == [])
    #expect(existing.filter { ran[$0] == false }.subtracting(listed) == [])
    #expect(existing.contains("value1") && listed.count == 198)
    #expect(dead.mangledNames(of: "called") == Set(ran.filter(\.value).keys))
  }

  // MARK: Code without hooks

  @Test(arguments: Compiler.allCases, ["-O0", "-O2"])
  func whatWasCompiledWithoutHooksIsNotListed(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "main.c": """
        #include <signal.h>
        static int shared(int x) { return x * 7; }
        int never(int x) { return shared(x); }
        // Calls the hook only in its copy of shared(), and passes its own address to another function.
        __attribute__((no_instrument_function)) void bare(int x) {
          signal(SIGUSR1, bare);
          if (shared(x) == 1) never(2);
        }
        extern void assembled(void);
        __asm__(".text; .globl assembled; .type assembled, @function; assembled: .cfi_startproc; ret;"
                ".cfi_endproc; .size assembled, .-assembled");
        int main(int count, char **arguments) { bare(count); if (count > 4) assembled(); return 0; }
        """
      ], compiler, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    // clang inlines it into main.
    #expect(["not instrumented", "inlined"].contains(dead.verdicts("bare").first))
    #expect(dead.mangledNames(of: "never called") == ["never"])
    #expect(dead.mangledNames(of: "called") == ["main", "shared"])
    #expect(dead.verdicts("assembled").isSubset(of: ["not instrumented"]))
  }

  /// clang sets no hooks in copies of functions that another file defines, so such a copy runs unseen.
  @Test(arguments: Compiler.allCases, ["-O1", "-O2"])
  func whatMayHaveRunInACopyWithoutHookIsNotDead(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "shared.h": """
        extern volatile int state;
        inline int small(int x) { return x + 3; }
        inline int large(int x) {
          for (int i = 0; i < x; i++) state += state * x ^ i;
          return state;
        }
        """,
        "main.c": """
        #include "shared.h"
        volatile int state;
        int main(int count, char **arguments) { return (small(count) + large(count)) & 0; }
        """,
        "other.c": """
        #include "shared.h"
        extern inline int small(int x);
        extern inline int large(int x);
        int never(void) { return small(2) + large(3); }
        """,
      ], compiler, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    let expected = compiler == .gcc ? "called" : "inlined"
    #expect(dead.verdicts("small") == [expected])
    #expect(dead.verdicts("large") == [expected])
    #expect(dead.mangledNames(of: "never called") == ["never"])
  }

  /// gcc copies functions of a header without hooks only if another file defines them; then debug information shows it.
  @Test(arguments: ["-O1", "-O2", "-O3"])
  func gccCopiesOnlyInlineFunctionsOfHeadersUnseen(option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "shared.h": """
        #include <stdio.h>
        extern volatile int state;
        void never(void) { printf("never\\n"); }
        inline __attribute__((always_inline)) int ran(int x) { return x + 3; }
        inline __attribute__((always_inline)) void nothing(int x) {}
        inline __attribute__((always_inline)) void stores(int x) { state = x; }
        """,
        "main.c": """
        #include "shared.h"
        volatile int state;
        int main(int count, char **arguments) {
          if (count > 5) never();
          nothing(3);
          stores(4);
          return ran(count) & 0;
        }
        """,
        "other.c": """
        #define never never_again
        #include "shared.h"
        extern inline int ran(int x);
        extern inline void nothing(int x);
        extern inline void stores(int x);
        int unused(void) { nothing(3); stores(4); return ran(2); }
        """,
      ], .gcc, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    let calls = try Command.check(["objdump", "-d", program])
    #expect(calls.contains(/call.*<never>/))
    #expect(!calls.contains(/<main>:(?:\n.+)*<(ran|nothing|stores)>/))
    #expect(dead.mangledNames(of: "never called") == ["never", "never_again", "unused"])
  }

  /// gcc's debug information has only the source's name of such a function.
  @Test(arguments: Compiler.allCases, ["-O1", "-O2", "-O3"])
  func staticFunctionsOfNamespacesAreListedOnce(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "shared.h": """
        #include <cstdio>
        namespace n {
        static inline int shared(int x) { if (x > 90) std::puts("s"); return x; }
        static inline int unused(int x) { if (x > 80) std::puts("u"); return x; }
        }
        """,
        "main.cpp": """
        #include "shared.h"
        namespace n {
        static int quiet(int x) { if (x > 90) std::puts("q"); return x; }
        int api(int x) { return quiet(x) + quiet(x + 1) + shared(x); }
        }
        static int plain(int x) { if (x > 70) std::puts("p"); return x; }
        int other(int x);
        int main(int count, char **) {
          if (count > 5) n::unused(count) + other(count);
          return n::api(count) + plain(count) + n::shared(2) - 7;
        }
        """,
        "other.cpp": """
        #include "shared.h"
        int other(int x) { return n::shared(x) + n::unused(x + 1) + n::shared(x + 1); }
        """,
      ], compiler, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    let symbols = try Command.check(["nm", "-C", program])
    #expect(symbols.contains(" n::quiet(int)\n"))
    #expect(
      dead.functions.map(\.shortName).sorted()
        == ["main", "n::api", "n::quiet", "n::shared", "n::unused", "other", "plain"])
    let never = dead.functions.filter { $0.verdict == "never called" }.map(\.shortName)
    #expect(never.sorted() == ["n::unused", "other"])
    #expect(dead.verdicts("n::quiet(int)") == ["called"])
  }

  @Test(arguments: Compiler.allCases, ["-O1", "-O2"])
  func copiesOfTemplatesOfAnotherFileAreNotDead(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "box.h": """
        template <class T> struct Box {
          T value;
          T small() { return value; }
          T never() { return value + 1; }
        };
        extern template struct Box<int>;
        """,
        "box.cpp": "#include \"box.h\"\ntemplate struct Box<int>;\n",
        "main.cpp": """
        #include "box.h"
        int main(int count, char **) { Box<int> box{count}; return box.small() == 99; }
        """,
      ], compiler, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    #expect(dead.verdicts("Box<int>::small()") == [compiler == .gcc ? "called" : "inlined"])
    #expect(!dead.mangledNames(of: "never called").contains("_ZN3BoxIiE5smallEv"))
  }

  /// gcc works the call out.
  @Test(arguments: Compiler.allCases, ["-O0", "-O2"])
  func whatTheCompilerMayWorkOutIsNotDead(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "main.cpp": """
        constexpr int square(int x) { return x * x; }
        template <typename T>
        constexpr T
        cube(T x)
        {
          return x * x * x;
        }
        int never(int x) { return square(x) + cube(x); }
        int main(int count, char **) { return square(3) - 9 + cube(2) - 8; }
        """
      ], compiler, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    #expect(dead.mangledNames(of: "never called") == ["_Z5neveri"])
  }

  /// Members of std::string that libstdc++ defines pass its addresses, or those of the executable's linkage table.
  @Test(arguments: ["-O1", "-O2"], ["-fPIE -pie", "-fno-pie -no-pie", "-fPIE -pie -Wl,-z,now"])
  func copiesOfFunctionsOfALibraryWithoutHooksAreNoLoss(option: String, kind: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "main.cpp": """
        #include <string>
        __attribute__((noinline)) std::string make(const char *from) {
          std::string made(from);
          return made += "abcdefghijklmnopqrstuvwxyz";
        }
        int never(std::string text) { return text.find('c'); }
        int main(int count, char **arguments) { return make(arguments[0]).insert(0, "y").empty(); }
        """
      ], .gcc, [option] + kind.split(separator: " ").map(String.init), in: directory)
    let called = try Command.check(["nm", "-u", program])
    #expect(called.contains("_ZNSt7__cxx1112basic_string"), "libstdc++ defines some members")
    let profile = try record(program, in: directory)
    #expect(try Answer.info(profile).losses.drops == 0)
    let dead = try Answer.dead(["--all", profile])
    #expect(dead.mangledNames(of: "called").isSuperset(of: ["main", "_Z4makeB5cxx11PKc"]))
    #expect(dead.verdicts("never") == ["never called"])
  }

  /// With hooks, the library has a function that ran, and only the program knows.
  @Test(
    arguments: ["-fPIE -pie", "-fno-pie -no-pie", "-fno-pie -no-pie -Wl,-z,now"], [true, false])
  func copiesOfFunctionsOfALibraryWithHooksAreALoss(kind: String, hasHooks: Bool) throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      template <class T> struct Base { Base() {} };
      template <class T> struct Box : Base<T> { Box() {} };
      extern template struct Box<int>;
      int other(int);
      """, to: "box.h")
    let library = try directory.write(
      "#include \"box.h\"\ntemplate struct Box<int>;\nint other(int x) { return x; }\n",
      to: "library.cpp")
    let main = try directory.write(
      """
      #include "box.h"
      __attribute__((noinline)) int work(int count) { Box<int> box; return other(count); }
      int main(int count, char **) { return work(count) == 99; }
      """, to: "main.cpp")
    let flags = try Self.flags(.gcc)
    let (path, program) = (directory.path("liblibrary.so"), directory.path("program"))
    try Command.check(
      ["g++", "-g", "-O2", "-fPIC", "-shared", library, "-o", path] + (hasHooks ? flags : []))
    try Command.check(
      ["g++", "-g", "-O2"] + kind.split(separator: " ").map(String.init)
        + [main, path, "-o", program] + flags)
    #expect(try Answer.info(record(program, in: directory)).losses.drops == (hasHooks ? 1 : 0))
  }

  // MARK: Unusual functions

  @Test(arguments: ["-O0", "-O2"])
  func nestedAndIndirectFunctionsAreTold(option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "main.c": """
        #include <stdlib.h>
        static int chosen(void) { return 4; }
        static int other(void) { return 5; }
        static volatile int one = 1; // gcc 14 works the choice out otherwise, and drops `other`
        static int helper(void) { return one; }
        static int (*resolve(void))(void) { return helper() ? chosen : other; }
        int indirect(void) __attribute__((ifunc("resolve")));
        static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
        int main(int count, char **arguments) {
          int values[] = {3, count, 2}, calls = 0;
          int by_context(const void *a, const void *b) { calls++; return compare(a, b); }
          int never_nested(int x) { return x + calls; }
          qsort(values, 3, sizeof *values, by_context);
          if (count > 7) return never_nested(count);
          return indirect() == 5 || calls == 0;
        }
        """
      ], .gcc, [option], in: directory)
    let profile = try record(program, in: directory)
    let dead = try Answer.dead(["--all", profile])
    let never = dead.mangledNames(of: "never called").map { $0.prefix { $0 != "." } }
    #expect(Set(never) == ["other", "never_nested"])
    let order = try Answer.order([profile])
    #expect(order.contains("helper") && order.contains("compare"))
    #expect(order.contains { $0.hasPrefix("by_context") })
  }

  /// gcc's versions pass the address of the linker's stub for the common name; clang's pass their own.
  @Test(arguments: Compiler.allCases, ["-O1", "-O1 -no-pie"])
  func versionsForProcessorsAreOneFunction(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "main.c": """
        #include <stdio.h>
        #ifdef __x86_64__
        #define VERSIONS __attribute__((target_clones("avx2", "default")))
        #else
        #define VERSIONS
        #endif
        VERSIONS int ran(int *a, int n) { return a[n]; }
        VERSIONS int never(int *a, int n) { return a[n] + 1; }
        int main(int count, char **arguments) {
          int values[] = {1, 2};
          return count > 7 ? never(values, 1) : ran(values, 0) - 1;
        }

        """
      ], compiler, option.split(separator: " ").map(String.init), in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    func names(_ verdict: String) -> Set<Substring> {
      Set(dead.mangledNames(of: verdict).map { $0.prefix { $0 != "." } })
    }
    #expect(names("never called") == ["never"])
    #expect(names("called") == ["ran", "main"])
  }

  /// Both symbols of a constructor, virtual functions, and an exception that leaves three of them.
  @Test(arguments: Compiler.allCases, ["-O0", "-O2"])
  func cxxIsToldFromItsFirstConstructorOn(compiler: Compiler, option: String) throws {
    let directory = try TemporaryDirectory()
    let program = try build(
      [
        "main.cpp": """
        #include <stdexcept>
        struct Base { Base() {} virtual ~Base() {} virtual int area() { return 1; } };
        struct Shape : virtual Base {
          int side;
          Shape(int side) : side(side) {}
          int area() override { if (side > 1) throw std::runtime_error("large"); return side; }
          int never() { return side * 2; }
        };
        static Shape global(2);
        template <class T> T twice(T x) { return x + x; }
        static int thrower(Base &base) { return base.area(); }
        int main(int count, char **) {
          if (count > 4) return global.never();
          try { return thrower(global); } catch (const std::exception &) { return twice(count) - 2; }
        }
        """
      ], compiler, [option], in: directory)
    let dead = try Answer.dead(["--all", record(program, in: directory)])
    #expect(dead.verdicts("Shape::Shape(int)") == ["called"])
    #expect(dead.verdicts("Shape::area()") == ["called"])
    #expect(dead.verdicts("thrower(Base&)") == ["called"])
    #expect(dead.verdicts("Shape::never()") == ["never called"])
    #expect(dead.verdicts("Base::area()") == ["never called"])
  }

  /// The library's slots hold addresses of the program: of a function of the same name, and of a
  /// linkage table entry.
  @Test(arguments: Compiler.allCases, ["-O0", "-O2"])
  func functionsOfALibraryAreItsOwnWhateverAddressIsShown(
    compiler: Compiler, option: String
  ) throws {
    let directory = try TemporaryDirectory()
    let library = try directory.write(
      """
      int shown(int x) { return x * 3; }
      int replaced(int x) { return x; }
      int calls(int x) { return replaced(x); }
      int never(int x) { return x - 1; }
      """, to: "library.c")
    let flags = try Self.flags(compiler)
    let path = directory.path("liblibrary.so")
    try Command.check(
      [compiler.rawValue, "-g", option, "-fPIC", "-shared", library, "-o", path] + flags)
    let main = try directory.write(
      """
      #include <stdio.h>
      int shown(int), calls(int);
      int replaced(int x) { return x + 100; }
      int (*volatile pointer)(int) = shown;
      int main(void) { printf("%d %d", pointer(2), calls(3)); return 0; }
      """, to: "main.c")
    let program = directory.path("program")
    try Command.check(
      [compiler.rawValue, "-g", option, "-fno-pie", "-no-pie", main, path, "-o", program] + flags)
    let printed = try Command.check([program])
    // clang inlines the library's own function, whichever the program has.
    let isOwn = printed == "6 3"
    #expect(isOwn || printed == "6 103")
    let profile = try record(program, in: directory)
    let functions = try Answer.dead(["--all", profile]).functions.filter {
      $0.file?.hasSuffix("library.c") == true
    }
    func names(_ verdict: String) -> Set<String> {
      Set(functions.filter { $0.verdict == verdict }.map(\.name))
    }
    #expect(names("called") == Set(["shown", "calls"] + (isOwn ? ["replaced"] : [])))
    #expect(names("never called") == Set(["never"] + (isOwn ? [] : ["replaced"])))
  }

  // MARK: Profiles

  @Test func profilesOfDifferentRecordersAreNotMixed() throws {
    let directory = try TemporaryDirectory()
    let program = try build(["main.c": Self.short], .gcc, ["-O1"], in: directory)
    let hooks = try record(program, in: directory)
    let breakpoints = directory.path("breakpoints.flp")
    try Command.check([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", breakpoints, "--", program,
    ])
    let merged = directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", hooks, breakpoints, "-o", merged])
    let info = try Command.check([Toolchain.firstlight, "info", merged])
    #expect(info.contains("recorded by entry hooks") && info.contains("recorded by breakpoints"))
    let again = directory.path("again.flp")
    try Command.check([
      Toolchain.firstlight, "merge", hooks, record(program, in: directory), "-o", again,
    ])
    #expect(try Answer.info(again).builds.count == 1)
    #expect(try Answer.dead([again]).mangledNames == Answer.dead([hooks]).mangledNames)
  }

  /// The file has changed since the recording: nothing is said of its functions.
  @Test func anotherBuildIsNotTakenForTheOneThatRan() throws {
    let directory = try TemporaryDirectory()
    let program = try build(["main.c": Self.short], .gcc, ["-O1"], in: directory)
    let spool = try Spool()
    try Command.check([program], environment: spool.environment)
    _ = try build(
      ["main.c": Self.short + "int more(void) { return 1; }\n"], .gcc, [], in: directory)
    let info = try Command.check([Toolchain.firstlight, "info", spool.profile()])
    #expect(info.contains("no function table"))
  }
}
