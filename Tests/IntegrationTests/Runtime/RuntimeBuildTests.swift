import Foundation
import TestSupport
import Testing

/// Every kind of link, and callers in other languages.
@Suite(.tags(.compiler)) struct RuntimeBuildTests {
  static let source = """
    __attribute__((noinline)) void second(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void first(void) { __asm__ volatile(""); }
    int main(void) { first(); second(); return 0; }
    """

  /// The Swift toolchain's ThreadSanitizer wants libdispatch, also in C.
  static let dispatch: [String] = {
    let swift = Toolchain.path.split(separator: ":").first.map(String.init) ?? ""
    let folder = swift + "/../lib/swift/linux"
    return ["-L\(folder)", "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath,\(folder)"]
  }()

  /// With entry hooks, the compiler's own linker: clang's is gold, which can do neither of the last two.
  static let links =
    [["-static"], ["-no-pie"], ["-pie"]]
    + (ProgramTarget.hooks == "clang" ? [] : [["-static-pie"]])
    + (ProgramTarget.hooks == nil ? [["-flto=thin"]] : [])
  /// Their runtimes are those of the machine.
  static let sanitizers = [
    ["-fsanitize=address"], ["-fsanitize=undefined"], ["-fsanitize=thread"] + dispatch,
  ]

  @Test(arguments: ProgramTarget.isNative ? links + sanitizers : links)
  func aCProgramIsRecorded(options: [String]) throws {
    let program = try Fixture.c(Self.source, options: ["-O1"] + options)
    #expect(try Answer.order([program.record()]) == ["main", "first", "second"])
    // Options may also follow ours.
    let after = try Fixture.c(Self.source, link: options)
    #expect(try Answer.order([after.record()]) == ["main", "first", "second"])
  }

  /// Its hooks for guards are its own, and refuse them.
  @Test(.onlyNative("libFuzzer is the machine's"))
  func aFuzzTargetIsRecordedByEntryHooks() throws {
    let target = try Fixture.c(
      """
      #include <stddef.h>
      #include <stdint.h>
      int called(int n) { return n + 1; }
      int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return called(size) > 1 << 30; }
      """, options: ["-fsanitize=fuzzer"],
      flags: Toolchain.words(["flags", "clang", "--entry-hooks"]))
    let order = try Answer.order([target.record("-runs=10")])
    #expect(order == ["LLVMFuzzerTestOneInput", "called"])
  }

  /// Their guards have no functions, and the others' cannot be told from them.
  @Test(.enabled(if: ProgramTarget.hooks == nil, "entry hooks have no PC table"))
  func anObjectWithoutPCTableIsNamedAsTheReason() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("void second(void) {}", to: "second.c")
    let object = directory.path("second.o")
    try Command.check(
      ["clang"] + ProgramTarget.options + [
        "-g", "-Xclang", "-fsanitize-coverage-type=1", "-Xclang",
        "-fsanitize-coverage-trace-pc-guard", "-c", source, "-o", object,
      ])
    let program = try Fixture.c(
      "void second(void); int main(void) { second(); return 0; }", link: [object])
    let profile = program.directory.path("p.flp")
    let recorded = try Command.run([
      Toolchain.firstlight, "record", "-o", profile, program.executable,
    ])
    let reason = "its PC table has 1 of 2 guards: objects were compiled without it"
    #expect(recorded.errors.contains(reason))
    let listed = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(listed.status == 65 && listed.errors.contains(reason), "\(listed.errors)")
  }

  @Test(
    .onlyNative(noSwift),
    arguments: [
      [], ["-static-stdlib"], ["-static-executable"], ["-sanitize=address"], ["-sanitize=thread"],
      ["-lto=llvm-thin"],
    ])
  func aSwiftProgramIsRecorded(options: [String]) throws {
    let program = try Fixture.swift(
      """
      @inline(never) func second() -> Int { CommandLine.arguments.count }
      @inline(never) func first() -> Int { CommandLine.arguments.count * 2 }
      print(first() + second())
      """, options: ["-O", "-module-name", "program"] + options)
    let order = try Answer.order([program.record()]).filter { $0.hasPrefix("$s7program") }
    #expect(order == ["$s7program5firstSiyF", "$s7program6secondSiyF"])
  }

  @Test func aCxxProgramIsRecordedFromItsFirstConstructorToItsLastDestructor() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      """
      #include <thread>
      struct Global { Global() {} ~Global() {} } global;
      struct Local { ~Local() {} void touch() {} };
      thread_local Local local;
      int main() { std::thread([] { local.touch(); }).join(); }
      """, to: "main.cpp")
    let program = directory.path("program")
    try Command.check(
      ["clang++", "-g", "-O0", "-pthread", source, "-o", program] + Toolchain.flags("clang"))
    let spool = try Spool()
    try Command.check([program], environment: spool.environment)
    let wanted = ["_ZN6GlobalC2Ev", "main", "_ZN5Local5touchEv", "_ZN5LocalD2Ev", "_ZN6GlobalD2Ev"]
    #expect(try spool.traces()[0].names.filter(wanted.contains) == wanted)
  }

  static let noSwift = "swiftc has no standard library for the target"

  static let hasRust = (try? Command.run(["rustc", "--version"]))?.status == 0

  @Test(.enabled(if: hasRust, "needs rustc"), .onlyNative("rustc builds for the machine"))
  func aRustProgramIsRecorded() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      """
      #[inline(never)] fn second() { std::hint::black_box(2); }
      #[inline(never)] fn first() { std::hint::black_box(1); }
      #[inline(never)] pub fn never() { std::hint::black_box(3); }
      fn main() { first(); second(); if std::env::args().count() > 5 { never() } }
      """, to: "main.rs")
    let program = directory.path("program")
    let runtime = Toolchain.products.appending(path: "libfirstlight_rt.a").path
    try Command.check(
      [
        "rustc", "-g", "-O", "-Ccodegen-units=1", "-Cpasses=sancov-module",
        "-Cllvm-args=-sanitizer-coverage-level=1",
        "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
        "-Cllvm-args=-sanitizer-coverage-pc-table", "-Clinker=clang", "-Clink-arg=-fuse-ld=lld",
        "-Clink-arg=-Wl,--build-id=sha1", "-Clink-arg=\(runtime)", source, "-o", program,
      ])
    let spool = try Spool()
    try Command.check([program], environment: spool.environment)
    let profile = try spool.profile()
    let own = try Answer.order([profile]).filter { $0.contains("7program") || $0.contains("4main") }
    let places = ["4main4main", "4main5first", "4main6second"].map { part in
      own.firstIndex { $0.contains(part) } ?? -1
    }
    #expect(places == places.sorted() && places[0] >= 0)
    #expect(!own.contains { $0.contains("4main5never") })
  }
}
