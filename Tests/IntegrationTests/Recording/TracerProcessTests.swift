import Foundation
import TestSupport
import Testing

/// `record --no-rebuild` follows a program into all that it starts.
@Suite(.tags(.compiler)) struct TracerProcessTests {
  private static let family = """
    #define _GNU_SOURCE
    #include <spawn.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>
    extern char **environ;
    void before(void) {}
    void only_child(void) {}
    void only_parent(void) {}
    void in_vfork(void) {}
    void again(void) {}
    void spawned(void) {}
    static int end_of(pid_t pid) {
      int status;
      waitpid(pid, &status, 0);
      return WEXITSTATUS(status);
    }
    int main(int count, char **arguments) {
      char *self = arguments[0];
      if (count > 1 && strcmp(arguments[1], "again") == 0) {
        again();
        execl(self, self, "spawned", (char *)0);
      }
      if (count > 1) { spawned(); return 4; }
      before();
      pid_t pid = fork();
      if (pid == 0) { before(); only_child(); _exit(3); }
      printf("%d\\n", end_of(pid));
      only_parent();
      pid = vfork();
      if (pid == 0) { in_vfork(); execl(self, self, "again", (char *)0); _exit(9); }
      printf("%d\\n", end_of(pid));
      char *spawn[] = {self, "spawned", 0};
      posix_spawn(&pid, self, 0, 0, spawn, environ);
      printf("%d\\n", end_of(pid));
      char *other[] = {"true", 0};
      posix_spawnp(&pid, "true", 0, 0, other, environ);
      printf("%d\\n", end_of(pid));
      return 0;
    }
    """

  @Test func eachProcessIsItsOwnTrace() throws {
    let program = try Fixture.c(Self.family, options: ["-O0"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.output == "3\n4\n4\n0\n")
    let traces = try StoredTrace.all(of: watched.profile)
    #expect(
      traces.map { $0.names.filter { !Watched.startFiles.contains($0) } } == [
        // The vfork child runs in its parent's memory: what it calls is its parent's.
        ["main", "before", "end_of", "only_parent", "in_vfork"],
        ["only_child"],
        ["main", "again"],
        ["main", "spawned"],
        ["main", "spawned"],
      ])
    #expect(traces.map(\.forkedFrom) == [nil, traces[0].pid, nil, nil, nil])
    // An exec in the same process is a new trace of the same number.
    #expect(traces[2].pid == traces[3].pid)
  }

  @Test func aShellOnTheWayIsNoPartOfIt() throws {
    let program = try Fixture.c(
      "void f(void) {}\nint main(void) { f(); return 6; }", options: ["-O0"], flags: Fixture.plain)
    let watched = try Watched.run(
      ["sh", "-c", "\(program.executable); \(program.executable)"], in: program.directory)
    #expect(watched.result.status == 6)
    #expect(try watched.order() == ["main", "f"])
    #expect(try Answer.info(watched.profile).processes.count == 2)
  }

  @Test func manyProcessesAtOnce() throws {
    let program = try Fixture.c(Self.family, options: ["-O0"], flags: Fixture.plain)
    let watched = try Watched.run(
      ["sh", "-c", "for i in $(seq 20); do \(program.executable) & done; wait"],
      in: program.directory)
    #expect(
      watched.result.output.split(separator: "\n").sorted().map { String($0) }
        == Array(repeating: "0", count: 20) + Array(repeating: "3", count: 20)
        + Array(repeating: "4", count: 40))
    #expect(try Answer.info(watched.profile).processes.count == 100)
  }

  @Test func aDaemonGoesOnWithoutUs() throws {
    let program = try Fixture.c(
      """
      #include <fcntl.h>
      #include <pthread.h>
      #include <unistd.h>
      void early(void) {}
      void late(void) {}
      static void *idle(void *unused) { for (;;) pause(); return unused; }
      int main(int count, char **arguments) {
        (void)count;
        pthread_t thread;
        char byte;
        int up[2];
        // As daemons do; whoever started us may wait for the end of what it handed down.
        for (int i = 3; i < 65536; i++) close(i);
        pipe(up);
        if (fork() != 0) return read(up[0], &byte, 1) != 1;
        for (int i = 0; i < 4; i++) pthread_create(&thread, 0, idle, 0);
        early();
        write(up[1], "", 1);
        int in = open(arguments[1], O_RDONLY);
        if (read(in, &byte, 1) != 1) _exit(1);
        late();
        int out = open(arguments[2], O_WRONLY);
        write(out, "well\\n", 5);
        _exit(0);
      }
      """, options: ["-O0", "-pthread"], flags: Fixture.plain)
    let fifos = ["in", "out"].map { program.directory.path($0) }
    for fifo in fifos { try #require(mkfifo(fifo, 0o600) == 0) }
    let profile = program.directory.path("p.flp")
    // Its output goes elsewhere: ours would end only with the daemon's.
    let result = try Command.run([
      "sh", "-c",
      "\(Toolchain.firstlight) record --no-rebuild -o \(profile) -- \(program.executable) "
        + "\(fifos[0]) \(fifos[1]) >/dev/null",
    ])
    #expect(result.status == 0)
    let info = try Answer.info(profile)
    #expect(info.runs[0].problems.contains { $0.contains("is still running") })
    try FileHandle(forWritingTo: URL(fileURLWithPath: fifos[0])).write(contentsOf: Data("x".utf8))
    let answer = try FileHandle(forReadingFrom: URL(fileURLWithPath: fifos[1])).readToEnd()
    #expect(answer == Data("well\n".utf8))
  }

  /// Its parent waits within the kernel, where it cannot be detached.
  @Test func aProcessWithinVforkDoesNotProlongTheRecording() throws {
    let program = try Fixture.c(
      """
      #include <fcntl.h>
      #include <unistd.h>
      void later(void) {}
      int main(int count, char **arguments) {
        int begun[2], status = 0;
        char byte = 0;
        if (pipe(begun) != 0) return 9;
        if (fork() == 0) {
          setsid();
          for (int file = 0; file < 3; file++) close(file);
          if (vfork() == 0) {
            if (write(begun[1], &byte, 1) != 1) _exit(1);
            _exit(open(arguments[1], O_RDONLY) < 0);
          }
          later();
          int done = open(arguments[2], O_CREAT | O_WRONLY, 0600);
          _exit(done < 0);
        }
        return read(begun[0], &byte, 1) == 1 ? 3 : 8;
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let (gate, done) = (program.directory.path("gate"), program.directory.path("done"))
    try #require(mkfifo(gate, 0o600) == 0)
    let profile = program.directory.path("p.flp")
    let watched = try Command.run(
      Watched.handingDownNothing + [
        "timeout", "60", Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--",
        program.executable, gate, done,
      ])
    #expect(watched.status == 3, "\(watched.errors)")
    #expect(!FileManager.default.fileExists(atPath: done))
    #expect(try Answer.info(profile).losses.runningProcesses > 0)
    // The process goes on, without breakpoints.
    try FileHandle(forWritingTo: URL(filePath: gate)).close()
    let end = Date(timeIntervalSinceNow: 60)
    while !FileManager.default.fileExists(atPath: done), Date() < end { sched_yield() }
    #expect(FileManager.default.fileExists(atPath: done))
  }
}
