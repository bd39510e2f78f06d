import Foundation
import TestSupport
import Testing

/// Programs that run already when the recorder comes.
@Suite struct AttachTests {
  /// How a recorder attaches.
  enum Engine: String, CaseIterable, CustomTestStringConvertible {
    case probes, ptrace

    var options: [String] { self == .ptrace ? ["--ptrace"] : [] }
    var testDescription: String { rawValue }

    static let all: [Engine] = Attached.hasProbes ? allCases : [.ptrace]
  }

  @Test(arguments: Engine.all) func whatIsCalledWhileWatchedIsRecorded(engine: Engine) throws {
    let program = try Attached()
    try program.does("a")
    let window = try program.watch(engine.options)
    for order in ["b", "f", "t", "a"] { try program.does(order) }
    let profile = try window.end()
    let names = try Answer.order([profile])
    #expect(
      Set(names).intersection(Attached.own) == ["b", "forked", "threaded", "in_thread", "a"])
    #expect(names.firstIndex(of: "b")! < names.firstIndex(of: "a")!)
    let info = try Answer.info(profile)
    #expect(info.runs.map(\.attachment) == [engine.rawValue])
    #expect(info.runs[0].outcome.hasPrefix("watched for "))
    try program.end()
  }

  /// The start ran before, and may have called anything.
  @Test(arguments: Engine.all) func aWindowListsNothingAsNeverCalled(engine: Engine) throws {
    let program = try Attached()
    let window = try program.watch(engine.options)
    for order in ["a", "b"] { try program.does(order) }
    let profile = try window.end()
    let dead = try Answer.dead([profile, "--all"])
    func verdict(_ name: String) -> String? {
      dead.functions.first { $0.mangledName == name }?.verdict
    }
    #expect(verdict("a") == "called")
    for name in ["unreferenced", "behind_b", "start_up", "in_start_up", "in_table"] {
      #expect(verdict(name) == "not called while watched", "\(name)")
    }
    #expect(verdict("main") == "unwatched")
    #expect(dead.totals.neverCalled == 0 && dead.equation.isBalanced)
    let text = try Command.check([Toolchain.firstlight, "dead", profile])
    #expect(text.contains("Recorded 1 window ("), "\(text)")
    #expect(text.contains("\nNot called while watched (1 window of "), "\(text)")
    let strict = try Command.run([Toolchain.firstlight, "dead", "--strict", profile])
    #expect(strict.status == 2 && strict.errors.contains("no start was recorded"))
    let why = try Command.check([Toolchain.firstlight, "why", "a", profile])
    #expect(why.contains(" after the watch began, "), "\(why)")
    try program.end()
  }

  /// A name watches what runs already, too; a file need not run yet.
  @Test(
    .enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"),
    arguments: [true, false])
  func aStartThatWasWatchedMakesTheListWhole(byName: Bool) throws {
    let first = try Attached()
    if !byName { try first.end() }
    let window = try first.watch(
      [], target: byName ? "program-\(first.number)" : first.executable)
    let second = byName ? try first.restarted() : try first.another()
    try second.does("b")
    let profile = try window.end()
    let dead = try Answer.dead([profile])
    #expect(
      Set(dead.functions.map(\.mangledName)).intersection(Attached.own)
        == ["a", "forked", "threaded", "in_thread", "unreferenced", "behind_b", "in_table"])
    // A process that was seen from its start is a run.
    #expect(try Answer.info(profile).runs.map(\.attachment) == [byName ? "probes" : nil])
    try second.end()
  }

  /// What the running one called before is not known from another's start.
  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func aStartWithOtherArgumentsShowsNothingOfWhatRanBefore() throws {
    let server = try Attached()
    try server.does("a")
    let window = try server.watch([], target: server.executable)
    let other = try server.another()
    try other.end()
    let dead = try Answer.dead([try window.end(), "--all"])
    func verdict(_ name: String) -> String? {
      dead.functions.first { $0.mangledName == name }?.verdict
    }
    #expect(verdict("start_up") == "called" && verdict("main") == "called")
    #expect(verdict("a") == "not called while watched")
    #expect(dead.totals.neverCalled == 0)
    try server.end()
  }

  /// Orders: `e` executes the program anew with another argument, `m` maps a file beside the program as code.
  private static let changing = """
    #include <fcntl.h>
    #include <stdio.h>
    #include <sys/mman.h>
    #include <unistd.h>
    int x;
    void before(void) { x++; }
    void after(void) { x++; }
    void unreferenced(void) { x++; }
    int main(int count, char **arguments) {
      char path[4096];
      if (count == 2) before();
      int orders = open(arguments[1], O_RDWR);
      setvbuf(stdout, NULL, _IONBF, 0);
      puts("ready");
      for (char order; read(orders, &order, 1) == 1;) {
        int status = 0;
        if (order == 'a') after();
        if (order == 'm') {
          snprintf(path, sizeof path, "%s.data", arguments[0]);
          int file = open(path, O_RDONLY);
          status = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED;
        }
        if (order == 'q') return 0;
        printf("did %c %d\\n", order, status);
        if (order == 'e') execl(arguments[0], arguments[0], arguments[1], "again", (char *)NULL);
      }
      return 1;
    }
    """

  /// What it did before is as unknown as that of another process.
  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func aProcessThatExecutesItsProgramAnewShowsNothingOfBefore() throws {
    let program = try Attached(Self.changing)
    let window = try program.watch([], target: program.executable)
    for order in ["e", "a"] { try program.does(order) }
    let dead = try Answer.dead([try window.end(), "--all"])
    let verdicts = Dictionary(
      dead.functions.map { ($0.mangledName, $0.verdict) }, uniquingKeysWith: { $1 })
    #expect(verdicts["after"] == "called" && verdicts["before"] == "not called while watched")
    #expect(dead.totals.neverCalled == 0)
    try program.end()
  }

  /// A file that is no ELF file has no functions; of one that is damaged, they are lost. Neither refuses the watch.
  @Test(
    .enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"),
    arguments: [("MZ", 0), ("\u{7f}ELF", 1)])
  func aMappedFileDoesNotRefuseTheWatch(start: String, losses: Int) throws {
    let program = try Attached(Self.changing)
    try Data((start + String(repeating: "x", count: 5000)).utf8).write(
      to: URL(filePath: program.executable + ".data"))
    try program.does("m")
    let window = try program.watch([])
    try program.does("a")
    let profile = try window.end()
    #expect(try Answer.order([profile]).contains("after"))
    #expect(try Answer.info(profile).losses.lostImages == losses)
    try program.end()
  }

  #if arch(x86_64)
    /// Orders: `g` calls all functions but the `locked` ones, each for the first time a while after the one before, `l`
    /// calls these. The kernel cannot watch an instruction with a `lock` prefix.
    private static let refused: String = {
      let count = 400
      let functions = (0..<count).map { number in
        let plain = "void f\(number)(void) { x++; }"
        guard number % 100 == 50 else { return plain }
        let name = "locked\(number)"
        return plain
          + " void \(name)(void); __asm__(\".text; .globl \(name); .type \(name), @function; \(name): "
          + "lock incl x(%rip); ret; .size \(name), . - \(name)\");"
      }
      // In an order in which each link of the recorder changes all the time.
      let table = (0..<count).map { "f\($0 * 131 % count)" }.joined(separator: ", ")
      let locked = stride(from: 50, to: count, by: 100).map { "locked\($0)(); " }.joined()
      return """
        #include <fcntl.h>
        #include <stdio.h>
        #include <time.h>
        #include <unistd.h>
        int x;
        \(functions.joined(separator: "\n"))
        void (*const table[])(void) = {\(table)};
        static double now(void) {
          struct timespec time;
          clock_gettime(CLOCK_MONOTONIC, &time);
          return time.tv_sec + time.tv_nsec / 1e9;
        }
        int main(int count, char **arguments) {
          int orders = open(arguments[1], O_RDWR);
          setvbuf(stdout, NULL, _IONBF, 0);
          puts("ready");
          for (char order; read(orders, &order, 1) == 1;) {
            if (order == 'g')
              for (int i = 0; i < \(count); i++)
                for (double end = now() + 0.001; now() < end;) table[i]();
            if (order == 'l') { \(locked) }
            if (order == 'q') return 0;
            printf("did %c 0\\n", order);
          }
          return 1;
        }
        """
    }()

    /// Of some compilers' debug information, a function of assembly looks as if it might have copies.
    private static let unknown: Set<String> = ["unwatched", "inlined"]

    /// The kernel accepts such a function as long as no process runs it, and later refuses its whole link.
    @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
    func aFunctionThatTheKernelRefusesCostsNoCalls() throws {
      let first = try Attached(Self.refused)
      try first.end()
      let window = try first.watch([], target: first.executable)
      let second = try first.another()
      for order in ["l", "g"] { try second.does(order) }
      let functions = try Answer.dead([try window.end(), "--all"]).functions
      func verdicts(_ prefix: String) -> Set<String> {
        Set(functions.filter { $0.mangledName.hasPrefix(prefix) }.map(\.verdict))
      }
      #expect(verdicts("f").subtracting(["compiler-generated"]) == ["called"])
      #expect(verdicts("locked").isSubset(of: Self.unknown))
      try second.end()
    }

    /// No link changes after the process has come.
    @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
    func aFunctionThatTheKernelRefusesIsFoundBeforeAProcessRuns() throws {
      let first = try Attached(Self.refused)
      try first.end()
      let window = try first.watch([], target: first.executable)
      let second = try first.another()
      try second.does("l")
      try second.end()
      let functions = try Answer.dead([try window.end(), "--all"]).functions
      let locked = functions.filter { $0.mangledName.hasPrefix("locked") }
      #expect(locked.count == 4 && locked.allSatisfy { Self.unknown.contains($0.verdict) })
    }
  #endif

  @Test(arguments: Engine.all) func theProgramIsLeftAsItWas(engine: Engine) throws {
    let program = try Attached()
    let before = try program.text()
    let window = try program.watch(engine.options)
    try program.does("a")
    _ = try window.end()
    #expect(try program.text() == before)
    for order in ["a", "b", "f", "t"] { try program.does(order) }
    try program.end()
  }

  @Test(arguments: Engine.all) func aKilledRecorderLeavesTheProgramAlive(engine: Engine) throws {
    let program = try Attached()
    let before = try program.text()
    for order in ["a", "b", "f", "t"] {
      let window = try program.watch(engine.options)
      // The kill comes while a breakpoint is being taken out.
      try program.does(order)
      window.command.send(SIGKILL)
      _ = try window.command.wait()
      // The watcher's process takes all of them out soon after.
      try program.command.wait { try program.text() == before && program.tracer() == 0 }
    }
    for order in ["a", "b", "f", "t"] { try program.does(order) }
    try program.end()
  }

  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func allProcessesOfAStrippedProgramAreWatched() throws {
    let first = try Attached(linking: ["-s"])
    let second = try first.another()
    let window = try first.watch([], target: "program-\(first.number)")
    try first.does("a")
    try second.does("a")
    let info = try Answer.info(try window.end())
    #expect(info.builds.map(\.called).reduce(0, +) > 0)
    try first.end()
    try second.end()
  }

  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func aFileThatIsGoneIsWatched() throws {
    let program = try Attached()
    try FileManager.default.removeItem(atPath: program.executable)
    let window = try program.watch([])
    try program.does("a")
    #expect(try Answer.order([try window.end()]).contains("a"))
    try program.end()
  }

  /// Who writes to the file waits until no probe is in it.
  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func whoOverwritesAFileWaitsUntilItIsNotWatched() throws {
    let first = try Attached()
    let window = try first.watch([], target: "program-\(first.number)")
    try first.does("a")
    try first.end()
    let other = try first.directory.write("", to: "other")
    try Command.check(["cc", "-x", "c", "-", "-o", other], input: "int main(void) { return 7; }")
    try Command.check(["cp", other, first.executable])
    #expect(try Command.run([first.executable]).status == 7)
    let result = try window.command.wait()
    #expect(result.status == 0 && result.output.contains("so the watch ends"), "\(result.output)")
    let dead = try Answer.dead([window.profile, "--all"])
    func verdict(_ name: String) -> String? {
      dead.functions.first { $0.mangledName == name }?.verdict
    }
    #expect(verdict("a") == "called" && verdict("unreferenced") == "not called while watched")
  }

  @Test(arguments: Engine.all) func aBudgetIsKept(engine: Engine) throws {
    let program = try Attached()
    let window = try program.watch(engine.options + ["--budget", "1%"])
    try program.does("a")
    #expect(try Answer.order([try window.end()]).contains("a"))
    try program.end()
  }

  @Test func aWindowEndsWithTheProcess() throws {
    for engine in Engine.all {
      let program = try Attached()
      let window = try program.watch(engine.options)
      try program.does("a")
      try program.end()
      let result = try window.command.wait()
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test func whatCannotBeWatchedSaysWhy() throws {
    func refusal(_ arguments: String...) throws -> (Int32, String) {
      let result = try Command.run(
        [Toolchain.firstlight, "record", "-o", "/dev/null", "--for", "1s"] + arguments)
      return (result.status, result.errors)
    }
    var (status, errors) = try refusal("--ptrace", "--attach", "no-such-program")
    #expect(status == 66 && errors.contains("no running program is called no-such-program"))
    (status, errors) = try refusal("--ptrace", "--attach", "no-such.service")
    #expect(status == 66 && errors.contains("no process runs in the unit no-such.service"))
    (status, errors) = try refusal("--ptrace", "--attach", "/bin/true")
    #expect(status == 66 && errors.contains("no process runs /bin/true"))
    (status, errors) = try refusal("--ptrace", "--attach", "4194304")
    #expect(status == 66 && errors.contains("there is no process 4194304"))
    (status, errors) = try refusal("--attach", "1", "true")
    #expect(status == 64 && errors.contains("leave out the command"))
    (status, errors) = try refusal("true")
    #expect(status == 64 && errors.contains("--attach"))

    let program = try Attached()
    program.command.send(SIGSTOP)
    try program.command.wait { try program.state() == "T" }
    (status, errors) = try refusal("--ptrace", "--attach", "\(program.pid)")
    #expect(status == 69 && errors.contains("is stopped"), "\(errors)")
    program.command.send(SIGCONT)
    let window = try program.watch(["--ptrace"])
    (status, errors) = try refusal("--ptrace", "--attach", "\(program.pid)")
    #expect(status == 69 && errors.contains("is traced already"), "\(errors)")
    _ = try window.end()
    try program.end()
  }

  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func withoutRightsTheRemedyIsNamed() throws {
    let program = try Attached()
    let result = try Command.run(
      ["setpriv", "--reuid", "65534", "--clear-groups", "--bounding-set=-all"]
        + [Toolchain.firstlight, "record", "--attach", "\(program.pid)", "-o", "/dev/null"])
    #expect(result.status == 69)
    #expect(result.errors.contains("with CAP_BPF and CAP_PERFMON"), "\(result.errors)")
    #expect(result.errors.contains("--ptrace"), "\(result.errors)")
    try program.end()
  }
}
