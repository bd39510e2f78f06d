#if arch(x86_64)
  import Foundation
  import TestSupport
  import Testing

  /// gcc calls its entry hooks in naked functions, where they destroy the arguments.
  @Suite(.tags(.compiler)) struct NakedFunctionTests {
    /// Functions that need no frame of their own look most like naked ones.
    private static let source = """
      #include <stdio.h>
      __attribute__((naked, noinline ATTRIBUTE)) long bare(long a, long b) {
        __asm__ volatile("lea (%rdi,%rsi), %rax; ret");
      }
      __attribute__((noinline)) void empty(void) { __asm__ volatile(""); }
      __attribute__((noinline)) long plain(long a, long b) { __asm__ volatile(""); return a + b; }
      int main(void) {
        empty();
        printf("ran %ld\\n", bare(1, 2) + plain(3, 4));
        return 0;
      }
      """

    private func build(_ options: [String]) throws -> (TemporaryDirectory, program: String) {
      let directory = try TemporaryDirectory()
      let program = directory.path("program")
      try directory.write(Self.source, to: "main.c")
      try Command.check(
        ["gcc", "-g", directory.path("main.c"), "-o", program] + options + Toolchain.flags("gcc"))
      return (directory, program)
    }

    @Test(
      .onlyNative("the machine's gcc"),
      arguments: [
        "-O0", "-O1", "-O2", "-Os", "-O2 -fcf-protection", "-O2 -fno-pie -no-pie", "-O2 -fPIC",
      ])
    func aProgramWithHooksInANakedFunctionIsRefusedBeforeItRuns(options: String) throws {
      let words = options.split(separator: " ").map(String.init)
      let (directory, program) = try build(words + ["-DATTRIBUTE="])
      let profile = directory.path("p.flp")
      let result = try Command.run([Toolchain.firstlight, "record", "-o", profile, program])
      #expect(result.status == 65 && !result.output.contains("ran"), "\(result.errors)")
      #expect(result.errors.contains("the arguments of naked functions (bare), so"))
      // Where it cannot be known before, it is named afterwards.
      let script = try Command.run(
        [Toolchain.firstlight, "record", "-o", profile, "sh", "--", "-c", program])
      #expect(script.errors.contains("the arguments of naked functions (bare), so"))
    }

    @Test(.onlyNative("the machine's gcc"), arguments: ["-O0", "-O2", "-O2 -fomit-frame-pointer"])
    func aProgramThatLeavesItsHooksOutIsRecorded(options: String) throws {
      let words = options.split(separator: " ").map(String.init)
      let (directory, program) = try build(words + ["-DATTRIBUTE=,no_instrument_function"])
      let profile = directory.path("p.flp")
      let result = try Command.run([Toolchain.firstlight, "record", "-o", profile, program])
      #expect(result.status == 0 && result.output == "ran 10\n", "\(result.errors)")
      #expect(!result.errors.contains("naked"))
      #expect(Set(try Answer.order([profile])).isSuperset(of: ["empty", "plain", "main"]))
    }
  }
#endif
