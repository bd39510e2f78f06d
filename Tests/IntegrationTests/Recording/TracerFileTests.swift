import Foundation
import TestSupport
import Testing

/// Programs and libraries whose files are gone, cannot be opened, or are mapped more than once.
@Suite(.tags(.compiler)) struct TracerFileTests {
  /// `work` runs in a copy of the program that has no path.
  private static let nameless = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdio.h>
    #include <sys/mman.h>
    #include <unistd.h>
    extern char **environ;
    void work(void) { puts("work"); }
    int main(int count, char **arguments) {
      if (count > 1) return work(), 3;
      int from = open("/proc/self/exe", O_RDONLY), to = memfd_create("copy", MFD_CLOEXEC);
      static char block[1 << 20];
      for (ssize_t size; (size = read(from, block, sizeof block)) > 0;)
        if (write(to, block, size) != size) return 9;
      char *copied[] = {"copy", "inner", NULL};
      fexecve(to, copied, environ);
      return 8;
    }
    """

  @Test func aProgramWithoutFileIsRecorded() throws {
    let program = try Fixture.c(Self.nameless, options: ["-O0"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.status == 3)
    #expect(try watched.order() == ["main", "work"])
    #expect(try Answer.info(watched.profile).builds.count == 1)
  }

  @Test func aProgramWhoseFileIsGoneIsRecorded() throws {
    let program = try Fixture.c(Self.nameless, options: ["-O0"], flags: Fixture.plain)
    let script = "cp \(program.executable) gone; exec 9< gone; rm gone; exec /proc/self/fd/9 inner"
    let watched = try Watched.run(
      ["sh", "-c", "cd \(program.directory.path(".")) && \(script)"], in: program.directory)
    #expect(watched.result.status == 3, "\(watched.result.errors)")
    #expect(try watched.order() == ["main", "work"])
  }

  @Test func missingDescriptorsAreALoss() throws {
    let program = try Fixture.c(
      "int main(void) { return 3; }", options: ["-O0"], flags: Fixture.plain)
    let profile = program.directory.path("few.flp")
    let result = try Command.run([
      "sh", "-c", "ulimit -n 12; exec \"$@\"", "sh", Toolchain.firstlight, "record", "--no-rebuild",
      "-o", profile, program.executable,
    ])
    #expect(result.status == 3 && result.errors.contains("ulimit -Hn"), "\(result.errors)")
    let dead = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(dead.status == 3 && dead.errors.contains("could not be recorded"), "\(dead.errors)")
    #expect(!dead.output.contains("main"))
    let whole = try program.watch().profile
    let both = try Command.run([Toolchain.firstlight, "dead", profile, whole])
    #expect(both.status == 3 && both.output.contains("1 unrecorded binary"), "\(both.output)")
  }

  /// It may be a copy of one that is recorded.
  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func aProgramThatMayNotBeReadIsALoss() throws {
    let program = try Fixture.c(
      "int main(void) { return 0; }", options: ["-O0"], flags: Fixture.plain)
    let (closed, profile) = (program.directory.path("closed"), program.directory.path("p.flp"))
    try ProgramFile.copy(program.executable, to: closed)
    #expect(chmod(closed, 0o711) == 0 && chmod(program.directory.url.path, 0o777) == 0)
    let result = try Command.run(
      [
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env",
        "HOME=/nonexistent",
      ]
        + [
          "TMPDIR=\(program.directory.url.path)", Toolchain.firstlight, "record", "--no-rebuild",
          "-o", profile,
        ]
        + ["--", "sh", "-c", "\(program.executable); \(closed)"])
    #expect(result.errors.contains("a program that may not be read"), "\(result.errors)")
    #expect(try Answer.info(profile).losses.lostImages == 1)
  }

  /// Breakpoints there would be written to the file.
  @Test func aLibraryThatIsMappedSharedStaysAsItIs() throws {
    let program = try Fixture.c(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <fcntl.h>
      #include <sys/mman.h>
      #include <sys/stat.h>
      int main(int count, char **arguments) {
        struct stat status;
        int file = open(arguments[1], O_RDWR);
        if (fstat(file, &status) != 0) return 9;
        void *all = mmap(0, status.st_size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, file, 0);
        // The loader says so when it maps something: then the recorder looks.
        return all == MAP_FAILED || dlopen("libm.so.6", RTLD_NOW) == 0 ? 9 : count - 2;
      }
      """, flags: Fixture.plain)
    let library = program.directory.path("plug.so")
    // lld would place code elsewhere in memory than in the file.
    try Command.check(
      [ProgramTarget.compiler, "-x", "c", "-shared", "-fPIC", "-", "-o", library],
      input: "int plug(int x) { return x + 1; }\nint other(int x) { return plug(x) * 2; }")
    let before = try Data(contentsOf: URL(filePath: library))
    let watched = try program.watch(library, options: ["--image", "*plug*"])
    #expect(watched.result.status == 0, "\(watched.result.errors)")
    #expect(watched.result.errors.contains("plug.so: is mapped shared (MAP_SHARED)"))
    #expect(try Data(contentsOf: URL(filePath: library)) == before)
    #expect(try Answer.info(watched.profile).losses.lostImages == 1)
  }

  /// Breakpoints go with the memory in which they are. `thread`: the thread that ends last is not the first one.
  @Test(arguments: ["exit", "thread"]) func memoryThatIsGivenBackIsALoss(end: String) throws {
    let program = try Fixture.c(
      """
      #define _GNU_SOURCE
      #include <pthread.h>
      #include <stdint.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/mman.h>
      extern char __executable_start, etext;
      pthread_t first;
      void work(void) { __asm__ volatile(""); }
      void never(void) { __asm__ volatile(""); }
      void *gives_back(void *is_alone) {
        if (is_alone) pthread_join(first, 0);
        uintptr_t at = (uintptr_t)&__executable_start & ~4095ul, end = (uintptr_t)&etext;
        for (; at < end; at += 4096) madvise((void *)at, 4096, MADV_DONTNEED);
        work();
        return 0;
      }
      int main(int count, char **arguments) {
        pthread_t thread;
        first = pthread_self();
        if (count > 2) never();
        if (strcmp(arguments[1], "exit") == 0) exit(gives_back(0) != 0);
        pthread_create(&thread, 0, gives_back, &thread);
        pthread_exit(0);
      }
      """, options: ["-O0", "-pthread"], flags: Fixture.plain)
    let watched = try program.watch(end)
    #expect(watched.result.status == 0, "\(watched.result.errors)")
    #expect(watched.result.errors.contains("gave back the memory of its code (madvise)"))
    let dead = try Answer.dead([watched.profile, "--all"], isLossy: true)
    func verdict(_ name: String) -> String? {
      dead.functions.first { $0.mangledName == name }?.verdict
    }
    #expect(verdict("main") == "called")
    #expect(verdict("work") == "unwatched" && verdict("never") == "unwatched")
    #expect(try Answer.info(watched.profile).losses.lostImages == 1)
  }

  /// The loader maps the copies of a small library side by side.
  @Test func copiesOfALibrarySideBySide() throws {
    let program = try Fixture.c(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stddef.h>
      int main(int count, char **arguments) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
          void *library = dlmopen(LM_ID_NEWLM, arguments[1], RTLD_NOW);
          if (library == NULL) return 99;
          sum += ((int (*)(int))dlsym(library, "called"))(1);
        }
        return sum;
      }
      """, options: ["-O0", "-ldl"], flags: Fixture.plain)
    let library = program.directory.path("libcopied.so")
    try Command.check(
      ["cc", "-g", "-x", "c", "-shared", "-fPIC", "-Wl,--build-id", "-", "-o", library],
      input: """
        static int ready;
        __attribute__((constructor)) static void starts(void) { ready = 3; }
        int called(int n) { return n + ready; }
        int uncalled(int n) { return n - ready; }
        """)
    let watched = try program.watch(library, options: ["--image", library])
    #expect(watched.result.status == 12, "\(watched.result.errors)")
    let names = try watched.order("--image", "libcopied.so")
    #expect(names.contains("starts") && names.contains("called") && !names.contains("uncalled"))
    #expect(!watched.result.errors.contains("occurs twice"), "\(watched.result.errors)")
  }

  /// As V8 does, which copies functions of its own next to those that it compiles.
  @Test func aProgramThatCopiesItsCodeIsNamed() throws {
    let program = try Fixture.c(
      """
      #define _GNU_SOURCE
      #include <string.h>
      #include <sys/mman.h>
      __attribute__((noinline)) int copied(int x) { return x + 1; }
      int main(void) {
        int (*copy)(int) = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy((void *)copy, (void *)copied, 32);
        return copy(1);
      }
      """, options: ["-O1"], flags: Fixture.plain)
    let watched = try program.watch()
    #expect(
      watched.result.errors.contains("probably a copy of its code"), "\(watched.result.errors)")
    #expect(try Answer.info(watched.profile).losses.lostImages == 1)
  }
}
