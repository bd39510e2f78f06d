import Foundation
import TestSupport
import Testing

/// Programs that do more with their code than run it, while a recorder is attached.
@Suite struct AttachedCodeTests {
  typealias Engine = AttachTests.Engine

  /// Orders: `n`: functions that begin with a no-op of five bytes, with data below the stack pointer. `p`: changes the
  /// code of `patched`, `c`: calls it. `m`: goes on in a copy of its code, `d`: has the kernel read its code anew. `l`:
  /// loads a library. `v`: starts a child by vfork(2), `w`: lets it go on and waits for its end.
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int x;
    #ifdef __x86_64__
    long keeps(long value);
    __asm__(".text\\n.globl keeps\\n.type keeps, @function\\nkeeps: mov %rdi, -8(%rsp)\\n jmp padded\\n"
            ".size keeps, . - keeps\\n"
            ".globl padded\\n.type padded, @function\\npadded: .byte 0x0f, 0x1f, 0x44, 0, 0\\n"
            " mov -8(%rsp), %rax\\n ret\\n.size padded, . - padded\\n");
    #else
    long keeps(long value) { return value; }
    #endif
    #ifdef MOVES
    __attribute__((section("lpstub"))) void moves(void) { x++; }
    #endif
    void a(void) { x++; }
    void unreferenced(void) { x++; }
    __attribute__((noinline, aligned(16))) int other(int v) { __asm__(""); return v + 100; }
    __attribute__((noinline, aligned(16))) int patched(int v) { __asm__(""); return v + 1; }
    void in_child(void) { x++; }
    int begun[2], go[2];
    pthread_t helper;
    void *starts(void *p) {
      char byte = 0;
      int status = 0;
      pid_t child = vfork();
      if (child == 0) {
        if (write(begun[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1) in_child();
        _exit(0);
      }
      waitpid(child, &status, 0);
      return (void *)(long)status;
    }
    int code(char **start, size_t *size) {
      unsigned long from, to;
      char line[500], flags[8];
      FILE *maps = fopen("/proc/self/maps", "r");
      while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, flags) == 3 && flags[2] == 'x' &&
            from <= (unsigned long)a && (unsigned long)a < to) {
          fclose(maps);
          *start = (char *)from;
          *size = to - from;
          return 0;
        }
      return 1;
    }
    int move(void) {
      char *start;
      size_t size;
      if (code(&start, &size) != 0) return 1;
      char *copy = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memcpy(copy, start, size);
      mprotect(copy, size, PROT_READ | PROT_EXEC);
      return mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) != start;
    }
    int patch(void) {
      char *start, *at = (char *)patched;
      size_t size;
      int distance = (char *)other - at - 5;
      if (code(&start, &size) != 0 || mprotect(start, size, 7) != 0) return 1;
      at[0] = 0xe9;
      memcpy(at + 1, &distance, 4);
      return mprotect(start, size, 5);
    }
    char *begin;
    size_t length;
    int main(int count, char **arguments) {
      int orders = open(arguments[1], O_RDWR), is_patched = 0;
      setvbuf(stdout, NULL, _IONBF, 0);
      puts("ready");
      for (char order; read(orders, &order, 1) == 1;) {
        int status = 0;
        char library[500], byte = 0;
        void *ended;
        if (order == 'a') a();
        if (order == 'n') for (long i = 0; i < 2000; i++) status += keeps(i) != i;
        if (order == 'p') status = patch(), is_patched = 1;
        if (order == 'c') status = patched(1) != (is_patched ? 101 : 2);
        if (order == 'm') status = move();
        if (order == 'b') status = code(&begin, &length);
        if (order == 'd') status = madvise(begin, length, MADV_DONTNEED);
        if (order == 'l') {
          snprintf(library, sizeof library, "%s-lib/libmcount.so", arguments[0]);
          status = dlopen(library, RTLD_NOW) == NULL;
        }
        if (order == 'v')
          status = pipe(begun) || pipe(go) || pthread_create(&helper, NULL, starts, NULL) ||
                   read(begun[0], &byte, 1) != 1;
        if (order == 'w') {
          status = write(go[1], &byte, 1) != 1 || pthread_join(helper, &ended) != 0;
          if (status == 0) status = (int)(long)ended;
        }
        if (order == 'q') return 0;
        printf("did %c %d\\n", order, status);
      }
      return 1;
    }
    """

  private func verdicts(_ profile: String, isLossy: Bool = false) throws -> (String) -> String? {
    let functions = try Answer.dead([profile, "--all"], isLossy: isLossy).functions
    return { name in functions.first { $0.mangledName == name }?.verdict }
  }

  private func refusal(_ program: Attached, _ options: String...) throws -> String {
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", "/dev/null", "--for", "1s", "--attach"]
        + (options.first?.hasPrefix("-") ?? true ? ["\(program.pid)"] : []) + options)
    #expect(result.status == 69, "\(result.errors)")
    return result.errors
  }

  @Test(arguments: Engine.all) func dataBelowTheStackPointerIsKept(engine: Engine) throws {
    let program = try Attached(Self.source)
    let window = try program.watch(engine.options)
    for order in ["n", "a", "n"] { try program.does(order) }
    #expect(try Answer.order([try window.end()]).contains("a"))
    try program.does("n")
    try program.end()
  }

  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func changedCodeIsLeftAlone() throws {
    let program = try Attached(Self.source)
    for order in ["p", "c"] { try program.does(order) }
    let window = try program.watch([])
    for order in ["c", "a"] { try program.does(order) }
    let profile = try window.end()
    #expect(window.command.output.contains("1 function cannot be watched"))
    let verdict = try verdicts(profile)
    #expect(verdict("a") == "called" && verdict("patched") == "unwatched")
    try program.does("c")
    try program.end()
  }

  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func codeThatWasMovedIsRefused() throws {
    let program = try Attached(Self.source)
    try program.does("m")
    #expect(try refusal(program).contains("code that a process copied"))
    let window = try program.watch(["--ptrace"])
    try program.does("a")
    #expect(try Answer.order([try window.end()]).contains("a"))
    try program.end()
  }

  @Test(arguments: Engine.all)
  func functionsThatLoseTheirBreakpointsAreUnwatched(engine: Engine) throws {
    let program = try Attached(Self.source)
    // Within the watch, a call would have the probes put in again.
    try program.does("b")
    let window = try program.watch(engine.options)
    for order in ["d", "a"] { try program.does(order) }
    let profile = try window.end()
    #expect(
      window.command.output.contains(
        engine == .probes ? "it has changed or moved its code" : "gave back the memory of its code")
    )
    let verdict = try verdicts(profile, isLossy: engine == .ptrace)
    #expect(verdict("a") == "unwatched" && verdict("unreferenced") == "unwatched")
    try program.end()
  }

  /// Breakpoints would be in the copies that such programs make when they start.
  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func aProgramThatMayMoveItsCodeIsWatchedAlone() throws {
    let first = try Attached(Self.source, compiler: ["cc", "-DMOVES"])
    #expect(try refusal(first, "program-\(first.number)").contains("may copy its code"))
    let window = try first.watch([])
    let second = try first.another()
    for order in ["m", "a"] { try second.does(order) }
    try first.does("c")
    let names = try Answer.order([try window.end()])
    #expect(names.contains("patched") && !names.contains("a"))
    try first.end()
    try second.end()
  }

  @Test(arguments: Engine.all) func librariesThatChangeCodeAreRefused(engine: Engine) throws {
    let program = try Attached(Self.source)
    let folder = program.executable + "-lib"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Command.check(
      ["cc", "-x", "c", "-shared", "-", "-o", folder + "/libmcount.so"], input: "int nothing;")
    let window = try program.watch(engine.options)
    try program.does("l")
    if engine == .probes {
      let result = try window.command.wait()
      #expect(result.status == 0 && result.output.contains("so the watch ends"), "\(result.output)")
    } else {
      _ = try window.end()
    }
    #expect(try refusal(program, "--ptrace").contains("libmcount.so, which changes code"))
    if engine == .probes {
      #expect(try refusal(program, "--for", "2s").contains("libmcount.so, which changes code"))
    }
    try program.end()
  }

  @Test func codeThatIsSharedWithItsFileIsRefused() throws {
    let program = try Attached(
      Attached.source.replacing(
        "\n  start_up();",
        with: """

          int self = open("/proc/self/exe", O_RDONLY);
          if (mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, self, 0) == MAP_FAILED) return 9;
          start_up();
          """
      ).replacing("#include <fcntl.h>", with: "#include <fcntl.h>\n#include <sys/mman.h>"))
    #expect(try refusal(program, "--ptrace").contains("shares its code with its file"))
    try program.end()
  }

  /// A child of vfork(2) shares its parent's memory, and the recorder's breakpoints.
  @Test func aChildOnTheProgramsMemoryIsAwaited() throws {
    let program = try Attached(Self.source)
    try program.does("v")
    let profile = program.directory.path("vfork.flp")
    let command = try Command.start(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "-o", profile]
        + ["--ptrace", "--attach", "\(program.pid)"])
    try command.waitForOutput { $0.contains("waiting for process") ? true : nil }
    for order in ["a", "w"] { try program.does(order) }
    try command.waitForOutput { $0.contains("watching ") ? true : nil }
    try program.does("c")
    command.send(SIGINT)
    #expect(try command.wait().status == 0)
    #expect(try Answer.order([profile]).contains("patched"))
    try program.end()
  }

  @Test func aChildOnTheProgramsMemoryDoesNotProlongTheWatch() throws {
    let program = try Attached(Self.source)
    let window = try program.watch(["--ptrace"])
    try program.does("v")
    _ = try window.end()
    for order in ["a", "w", "c"] { try program.does(order) }
    try program.end()
  }
}
