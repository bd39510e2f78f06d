import Foundation
import TestSupport
import Testing

/// What a recorder has seen outlives it: SIGKILL, which nothing can prepare for.
@Suite(.tags(.compiler)) struct KilledRecorderTests {
  /// The profile of what a killed recorder left in this folder for temporary files.
  private func profile(_ folder: TemporaryDirectory, isWatched: Bool = false) throws -> String {
    let left = try #require(folder.entries.first { $0.hasPrefix("firstlight-") })
    let profile = folder.path("left.flp")
    let result = try Command.run([
      Toolchain.firstlight, "record", "-o", profile, "--directory", folder.path(left),
    ])
    #expect(result.status == 0 && result.errors.contains("its recorder was killed"), "\(result)")
    let info = try Answer.info(profile)
    #expect(info.losses.runningProcesses == 1)
    // The kernel's account of those that started last may have been unread.
    #expect(info.losses.unrecordedProcesses == (isWatched ? 1 : 0))
    return profile
  }

  @Test func breakpointsOfAKilledRecorder() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      void called(void) {}
      void later(void) {}
      int main(void) {
        called();
        printf("%d\\n", getpid());
        fflush(stdout);
        pause();
        later();
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let folder = try TemporaryDirectory()
    let run = try Command.start(
      [
        Toolchain.firstlight, "record", "--no-rebuild", "-o", program.directory.path("p.flp"), "--",
        program.executable,
      ], environment: ["TMPDIR": folder.url.path])
    let pid = try run.waitForOutput { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
    run.send(SIGKILL)
    // The pipe ends with the program.
    _ = try run.wait()
    // Its breakpoints would end it otherwise, as if by a fault of its own.
    func isAtItsEnd() -> Bool {
      let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return stat == nil || stat?.contains(") Z ") == true
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while !isAtItsEnd(), ContinuousClock.now < deadline { sched_yield() }
    #expect(isAtItsEnd())
    #expect(
      try Answer.order([try profile(folder)]).filter { !Watched.startFiles.contains($0) }
        == ["main", "called"])
    // The next command says where it is.
    let next = try Command.run(
      [
        "python3", "-c", "import pty, sys; pty.spawn(sys.argv[1:])", Toolchain.firstlight, "record",
        "-o", program.directory.path("n.flp"), "--", "/bin/true",
      ], environment: ["TMPDIR": folder.url.path, "TERM": "xterm"])
    #expect(
      next.output.contains("no profile was made of an earlier recording in \(folder.url.path)"),
      "\(next)")
  }

  @Test(arguments: AttachTests.Engine.all)
  func aKilledWatcher(engine: AttachTests.Engine) throws {
    let program = try Attached()
    let folder = try TemporaryDirectory()
    let watch = try Command.start(
      [
        "sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "--attach",
        "\(program.pid)", "-o", folder.path("p.flp"),
      ] + engine.options, environment: ["TMPDIR": folder.url.path])
    try watch.waitForOutput { $0.contains("watching ") ? true : nil }
    for order in ["b", "a"] { try program.does(order) }
    // The kernel's account is read every half second.
    if engine == .probes { try watch.wait { try Answer.called(in: folder) == ["b", "a"] } }
    let parent = watch.process.processIdentifier
    let watcher = try String(
      contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
    kill(try #require(pid_t(watcher.split(separator: " ").first ?? "")), SIGKILL)
    _ = try watch.wait()
    #expect(
      try Answer.order([try profile(folder, isWatched: engine == .probes)])
        .filter { Attached.own.contains($0) } == ["b", "a"])
    if engine == .probes { try program.end() } else { program.command.send(SIGKILL) }
  }

  /// Calls 300 functions in two threads, in an order that its first argument gives, and prints the name of each after its
  /// call. With a second argument it waits until that can be read.
  private static let many = """
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    \((0..<300).map { "void f\($0 + 100)(void) {}" }.joined(separator: "\n"))
    static void (*all[])(void) = {\((0..<300).map { "f\($0 + 100)" }.joined(separator: ", "))};
    static int order[300];
    static atomic_int next;
    static void *work(void *pause) {
      for (int i; (i = atomic_fetch_add(&next, 1)) < 300;) {
        all[order[i]]();
        char line[8];
        write(1, line, snprintf(line, sizeof line, "f%d\\n", order[i] + 100));
        usleep(*(unsigned *)pause);
      }
      return NULL;
    }
    int main(int count, char **words) {
      unsigned seed = atoi(words[1]), pause = seed % 3 * 1000;
      for (int i = 0; i < 300; i++) {
        int j = rand_r(&seed) % (i + 1);
        order[i] = order[j];
        order[j] = i;
      }
      write(1, "ready\\n", 6);
      if (count > 2) {
        char byte;
        read(open(words[2], O_RDONLY), &byte, 1);
      }
      pthread_t thread;
      pthread_create(&thread, NULL, work, &pause);
      work(&pause);
      pthread_join(thread, NULL);
    }
    """

  /// The moments follow the program's progress. What it printed before is in the recording, or known to be missing: the
  /// kernel's account is read every half second.
  @Test(arguments: [nil] + AttachTests.Engine.all as [AttachTests.Engine?])
  func noCallIsLostInSilence(engine: AttachTests.Engine?) throws {
    let program = try Fixture.c(
      Self.many, options: ["-O0", "-pthread"], flags: Fixture.plain)
    for _ in 0..<Soak.count(4, soak: 200) {
      let (seed, calls) = (Int.random(in: 1...1_000_000), Int.random(in: 0...300))
      let folder = try TemporaryDirectory()
      let profile = folder.path("p.flp")
      let printed =
        if let engine {
          try killWatcher(engine, of: program.executable, in: folder, profile, seed, after: calls)
        } else {
          try killRecorder(of: program.executable, in: folder, profile, seed, after: calls)
        }
      // A recorder that is killed at the program's end may have written it.
      if !folder.entries.contains("p.flp") {
        let left = try #require(folder.entries.first { $0.hasPrefix("firstlight-") })
        try Command.check([
          Toolchain.firstlight, "record", "-o", profile, "--directory", folder.path(left),
        ])
      }
      // Without a call there is no order.
      let order = try Command.run([Toolchain.firstlight, "order", profile]).output
      let missing = printed.subtracting(order.split(separator: "\n").map(String.init))
      let isKnown = try engine == .probes && !Answer.info(profile).losses.isEmpty
      #expect(missing.isEmpty || isKnown, "seed \(seed), \(calls) calls: \(missing)")
      if !missing.isEmpty, !isKnown { return }
    }
  }

  private static func names(_ output: String) -> Set<String> {
    Set(output.split(separator: "\n").map(String.init)).subtracting(["ready"])
  }

  private func killRecorder(
    of program: String, in folder: TemporaryDirectory, _ profile: String, _ seed: Int,
    after calls: Int
  ) throws -> Set<String> {
    let run = try Command.start(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program, "\(seed)"],
      environment: ["TMPDIR": folder.url.path])
    try run.waitForOutput { $0.split(separator: "\n").count > calls ? true : nil }
    run.send(SIGKILL)
    // The output ends with the program.
    return Self.names(try run.wait().output)
  }

  private func killWatcher(
    _ engine: AttachTests.Engine, of program: String, in folder: TemporaryDirectory,
    _ profile: String, _ seed: Int, after calls: Int
  ) throws -> Set<String> {
    let go = folder.path("go")
    #expect(mkfifo(go, 0o600) == 0)
    let run = try Command.start([program, "\(seed)", go])
    try run.waitForOutput { $0.contains("ready\n") ? true : nil }
    let watch = try Command.start(
      [
        "sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "--attach",
        "\(run.process.processIdentifier)", "-o", profile,
      ] + engine.options, environment: ["TMPDIR": folder.url.path])
    try watch.waitForOutput { $0.contains("watching ") ? true : nil }
    let parent = watch.process.processIdentifier
    let watcher = try String(
      contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
    let pid = try #require(pid_t(watcher.split(separator: " ").first ?? ""))
    try #require(FileHandle(forWritingAtPath: go)).write(contentsOf: Data("g".utf8))
    try run.waitForOutput { $0.split(separator: "\n").count > calls ? true : nil }
    kill(pid, SIGKILL)
    if Bool.random() { watch.send(SIGKILL) }
    _ = try watch.wait()
    // Breakpoints that stay end the program.
    return Self.names(try run.wait().output)
  }
}

extension Answer {
  /// The functions of `Attached` that a recording in a folder for temporary files has so far.
  fileprivate static func called(in folder: TemporaryDirectory) throws -> [String] {
    let spool = try #require(folder.entries.first { $0.hasPrefix("firstlight-") })
    let profile = folder.path("so-far.flp")
    try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--directory", folder.path(spool),
    ])
    // Without a call there is no order.
    let order = try Command.run([Toolchain.firstlight, "order", profile])
    return order.output.split(separator: "\n").map(String.init).filter { Attached.own.contains($0) }
  }
}
