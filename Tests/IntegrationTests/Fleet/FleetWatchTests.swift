import Foundation
import TestSupport
import Testing

/// Processes that another one watches from outside, on their way to a fleet.
@Suite(.serialized) struct FleetWatchTests {
  private static let sums = """
    SELECT sum(processes), sum(runs), sum(windows), sum(hosts), sum(running_processes) FROM state
    """

  /// Short processes, 200 a second (in a soak 40, for five minutes), of which the watcher leaves the last ones unfinished
  /// when it is killed, and a daemon that is killed again and again.
  @Test func killedDaemonsCountEachWatchedProcessOnce() throws {
    let directory = try TemporaryDirectory()
    let (spool, store) = (directory.path("spool"), directory.path("fleet.sqlite"))
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
    let total = Soak.count(1500, soak: 12_000)
    let watcher = try Command.start([
      "python3", "-c", Self.watcher, spool, "\(total)", "\(Soak.count(200, soak: 40))",
    ])
    let options = ["--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0"]
    for _ in 0..<5 {
      let daemon = try Daemon(options)
      try daemon.hasTaken(total / Soak.count(10, soak: 6))
      try daemon.kill()
    }
    let daemon = try Daemon(options)
    let end = try watcher.wait()
    #expect(end.signalled, "\(end.errors)")
    // The last twenty were not finished; each tenth had begun before it was watched.
    try daemon.waits(for: "\(total)|\(total)|\(total / 10)|1|20", from: Self.sums, in: store)
    let pid = daemon.command.process.processIdentifier
    let peak = try Command.check(["awk", "/VmHWM/ { print $2 }", "/proc/\(pid)/status"])
    #expect(try #require(Int(peak.dropLast())) < 128 << 10, "kB")
    let profile = directory.path("fleet.flp")
    try Command.check([
      "curl", "-sf", "-o", profile,
      "http://127.0.0.1:\(try daemon.port())/v1/profile?build-id=\(String(repeating: "ab", count: 20))",
    ])
    let runs = try Command.check([
      "sqlite3", "-readonly", profile,
      "SELECT guard, runs FROM coverage WHERE runs > 0 ORDER BY guard",
    ])
    let expected = (0..<8).map { bit in
      "\(bit)|\((0..<total).count { $0 >> bit & 1 == 1 })\n"
    }
    #expect(runs == expected.joined())
    try daemon.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [".firstlightd"])
  }

  /// A watch of twenty days: its first days are closed while it goes on.
  @Test func aLongWatchWhoseDaysAreClosedMeanwhileCountsOnce() throws {
    let directory = try TemporaryDirectory()
    let (spool, store) = (directory.path("spool"), directory.path("fleet.sqlite"))
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
    let watcher = try Command.start(["python3", "-c", Self.longWatch, spool])
    try watcher.waitForOutput { $0.contains("begun\n") ? true : nil }
    let options = ["--spool", spool, "--store", "sqlite:\(store)"]
    func count(_ expected: String) throws {
      // It counts what runs when it starts.
      let daemon = try Daemon(options)
      try daemon.waits(for: expected, from: Self.sums, in: store)
      try daemon.stop()
    }
    try count("0|1|1|1|0")
    try Command.check([
      "sqlite3", store, "UPDATE first_open_day SET day = (SELECT max(day) FROM state) + 5",
    ])
    watcher.send(SIGUSR1)
    try watcher.waitForOutput { $0.contains("called\n") ? true : nil }
    let daemon = try Daemon(options)
    try daemon.waits(
      for: "3", from: "SELECT ifnull(sum(called), 0) FROM state", in: store)
    watcher.send(SIGUSR1)
    try watcher.waitForOutput { $0.contains("ended\n") ? true : nil }
    try daemon.hasTaken(1)
    try daemon.waits(for: "1|1|1|1|0", from: Self.sums, in: store)
    try daemon.stop()
    _ = try watcher.wait()
  }

  /// Begins to watch.
  private func watch(
    _ target: String, into spool: String, _ options: [String] = []
  ) throws -> RunningCommand {
    let command = try Command.start(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "--spool", spool]
        + ["--attach", target] + options)
    try command.waitForOutput { $0.contains("watching ") ? true : nil }
    return command
  }

  /// Ends a process when its recording has begun: the arguments of one that has ended are unknown.
  private func end(
    _ program: Attached, afterItsRecordingIn spool: String, _ watch: RunningCommand
  ) throws {
    try watch.wait {
      try FileManager.default.contentsOfDirectory(atPath: spool).contains {
        $0.hasPrefix("\(program.pid)-") && $0.hasSuffix(".process")
      }
    }
    try program.end()
  }

  private func end(_ watch: RunningCommand) throws {
    watch.send(SIGTERM)
    let result = try watch.wait()
    #expect(result.status == 0 && !result.signalled, "\(result.output)")
  }

  private static func spool(in directory: TemporaryDirectory) throws -> String {
    let path = directory.path("spool")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path
  }

  /// Of the program's own functions, from `dead` or `fleet dead`.
  private func verdicts(_ arguments: [String]) throws -> [String: String] {
    let text = try Command.check(
      [Toolchain.firstlight] + arguments + ["--all", "--format", "json"])
    let dead = try JSONDecoder().decode(DeadDocument.self, from: Data(text.utf8))
    let own = dead.functions.compactMap { function in
      Attached.own.contains(function.mangledName) ? (function.mangledName, function.verdict) : nil
    }
    return Dictionary(own, uniquingKeysWith: { first, _ in first })
  }

  private static let watched = "not called while watched"
  /// Of all functions but those that two processes are told to call.
  private static let others = [
    "behind_b": watched, "unreferenced": watched, "start_up": watched, "in_start_up": watched,
    "in_table": watched, "forked": watched,
  ]

  /// Without a collector: the recordings wait for it. Two processes of one build are two windows of one host.
  @Test(
    .enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"),
    arguments: [[], ["--ptrace"]])
  func aFleetsListIsTheUnionOfWhatWatchersSaw(options: [String]) throws {
    let first = try Attached()
    let second = try first.elsewhere()
    let (store, spool) = (
      first.directory.path("fleet.sqlite"), try Self.spool(in: first.directory)
    )
    let watches = try [first, second].map { try watch("\($0.pid)", into: spool, options) }
    try first.does("a")
    try first.does("b")
    try second.does("t")
    for watch in watches { try end(watch) }
    for program in [first, second] { try program.end() }
    let profile = first.directory.path("same.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--directory", spool])
    let daemon = try Daemon([
      "--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
      "--labels", "version=one",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try daemon.waits(for: "2|2|2|1|0", from: Self.sums, in: store)
    // The store is on this host, so the names come from the binary.
    try daemon.hasSaid("functions named")
    let called = ["a", "b", "threaded", "in_thread"]
    let expected = Self.others.merging(called.map { ($0, "called") }) { $1 }
    for source in [url, "sqlite:\(store)"] {
      #expect(try verdicts(["fleet", "dead", "--from", source]) == expected)
    }
    #expect(try verdicts(["dead", profile]) == expected)
    let text = try Command.check([
      Toolchain.firstlight, "fleet", "dead", "--from", url, "--version", "one",
    ])
    #expect(text.contains("Recorded 2 windows ("), "\(text)")
    try daemon.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [".firstlightd"])
  }

  /// A server that is restarted while its file is watched.
  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func aStartThatIsSeenIsARun() throws {
    let before = try Attached()
    let (store, spool) = (
      before.directory.path("fleet.sqlite"), try Self.spool(in: before.directory)
    )
    let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
    let watch = try watch(before.executable, into: spool)
    try before.does("a")
    let after = try before.restarted()
    try after.does("b")
    try end(after, afterItsRecordingIn: spool, watch)
    try daemon.waits(for: "2|2|1|1|0", from: Self.sums, in: store)
    try end(watch)
    try daemon.hasSaid("functions named")
    let called = ["a", "b", "start_up", "in_start_up"]
    var expected = Dictionary(
      uniqueKeysWithValues: Attached.own.map { ($0, "never called") })
    for name in called { expected[name] = "called" }
    #expect(try verdicts(["fleet", "dead", "--from", "sqlite:\(store)"]) == expected)
    try daemon.stop()
  }

  /// A fleet and a profile of the same recordings agree on the starts that count for a process from before the watch.
  @Test(
    .enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"),
    arguments: [false, true])
  func aStartStandsForProcessesWithItsArguments(isAlike: Bool) throws {
    let before = try Attached()
    let (store, spool) = (
      before.directory.path("fleet.sqlite"), try Self.spool(in: before.directory)
    )
    let watch = try watch(before.executable, into: spool)
    try before.does("a")
    let after = try isAlike ? before.restarted() : before.another()
    try after.does("b")
    try end(after, afterItsRecordingIn: spool, watch)
    if !isAlike { try before.end() }
    try end(watch)
    let profile = before.directory.path("same.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--directory", spool])
    let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
    try daemon.waits(for: "2|2|1|1|0", from: Self.sums, in: store)
    try daemon.hasSaid("functions named")
    let called = ["a", "b", "start_up", "in_start_up"]
    var expected = Dictionary(
      uniqueKeysWithValues: Attached.own.map { ($0, isAlike ? "never called" : Self.watched) })
    for name in called { expected[name] = "called" }
    let (own, fleets) = (
      try verdicts(["dead", profile]), try verdicts(["fleet", "dead", "--from", "sqlite:\(store)"])
    )
    #expect(own == expected)
    #expect(fleets == expected)
    try daemon.stop()
  }

  /// `record --no-rebuild --spool`: each start is a run, and the list is that of the profiles of such runs.
  @Test func startsUnderBreakpointsAreRuns() throws {
    let program = try Fixture.c(
      """
      #include <stdlib.h>
      #include <sys/wait.h>
      #include <unistd.h>
      void one(void) {}
      void two(void) {}
      void in_child(void) {}
      void never(void) {}
      int main(int count, char **words) {
        if (count > 1 && atoi(words[1]) == 1) one();
        if (count > 1 && atoi(words[1]) == 2) two();
        if (count > 1 && atoi(words[1]) == 3 && fork() == 0) { in_child(); _exit(0); }
        if (count > 1 && atoi(words[1]) == 3) wait(0);
        if (count > 9) never();
        return count > 1 ? atoi(words[1]) : 0;
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let (store, spool) = (
      program.directory.path("fleet.sqlite"), try Self.spool(in: program.directory)
    )
    let daemon = try Daemon([
      "--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
    ])
    var profiles: [String] = []
    for way in 0...3 {
      let command = ["--", program.executable, "\(way)"]
      let run = try Command.run(
        [Toolchain.firstlight, "record", "--no-rebuild", "--spool", spool] + command)
      #expect(run.status == Int32(way), "\(run.errors)")
      profiles.append(program.directory.path("\(way).flp"))
      _ = try Command.run(
        [Toolchain.firstlight, "record", "--no-rebuild", "-o", profiles[way]] + command)
    }
    // The child of the last one is a process of its run.
    try daemon.waits(for: "5|4|0|1|0", from: Self.sums, in: store)
    try daemon.hasSaid("functions named")
    func rows(_ arguments: [String]) throws -> [String] {
      let text = try Command.check(
        [Toolchain.firstlight] + arguments + ["--all", "--format", "json"])
      return try JSONDecoder().decode(DeadDocument.self, from: Data(text.utf8)).functions.map {
        "\($0.mangledName) \($0.verdict) \($0.calledRuns) of \($0.watchedRuns)"
      }
    }
    let expected = try rows(["dead"] + profiles)
    for row in [
      "one called 1 of 4", "two called 1 of 4", "in_child called 1 of 4",
      "never never called 0 of 4",
      "main called 4 of 4",
    ] { #expect(expected.contains(row), "\(expected)") }
    for source in ["sqlite:\(store)", "http://127.0.0.1:\(try daemon.port())"] {
      #expect(try rows(["fleet", "dead", "--from", source]) == expected)
    }
    try daemon.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [".firstlightd"])
  }

  /// Its recording is complete up to then, and says that more is missing.
  @Test(.enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
  func aWatcherThatIsKilledIsALoss() throws {
    let program = try Attached()
    let (store, spool) = (
      program.directory.path("fleet.sqlite"), try Self.spool(in: program.directory)
    )
    let watch = try watch("\(program.pid)", into: spool)
    try program.does("a")
    let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(store)"])
    let children = try Command.check(["pgrep", "-P", "\(watch.process.processIdentifier)"])
    let watcher = try #require(pid_t(children.dropLast()))
    kill(watcher, SIGKILL)
    _ = try watch.wait()
    try daemon.waits(for: "1|1|1|1|1", from: Self.sums, in: store)
    let losses = "SELECT sum(running_processes), sum(unreadable_segments) FROM state"
    #expect(try Command.check(["sqlite3", "-readonly", store, losses]) == "1|0\n")
    try program.end()
    try daemon.stop()
  }

  /// Writes what a watcher writes, by the layout in firstlight_abi.h.
  private static let writing = #"""
    import os, signal, struct, sys, time
    spool = sys.argv[1]
    namespace = os.stat("/proc/self/ns/pid").st_ino
    start = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
    watch = 112 + 2048 + 1024
    now = lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    def leave(name, data):
        with open(f"{spool}/.{name}-0", "wb") as file: file.write(data)
        os.rename(f"{spool}/.{name}-0", f"{spool}/{name}")
    def place(page, offset, layout, *values): struct.pack_into("<" + layout, page, offset, *values)
    def begin(n, calls, late, since=0):
        pid = 4_200_000 + n
        identity = (pid, namespace, n + 1, n + 1)
        moment, stem = now(), f"{pid}-{n + 1}-{n + 1:016x}"
        page = bytearray(4096)
        place(page, 0, "QII", 0x5345434f52504c46, 1, 4096)
        place(page, 16, "IIQQ", *identity)
        place(page, 48, "QQ", moment, time.time_ns() - since)
        place(page, watch, "IIQQQ", os.getpid(), late, start, 0, 0)
        leave(stem + ".process", page)
        segment = bytearray(8192)
        place(segment, 0, "QIIII", 0x544e4d4745534c46, 1, 4096, 24, 8)
        place(segment, 24, "IIQQ", *identity)
        place(segment, 48, "QQQQQQ", moment, time.time_ns() - since, 0, 0x1000, 0x1000, 0)
        place(segment, 108, "I20s", 20, b"\xab" * 20)
        place(segment, 176, "I", 12)
        segment[184:196] = b"/opt/watched"
        place(segment, 2232, "I", 2)
        leave(stem + "-0.segment", segment)
        for place_of, function in enumerate(calls): call(stem, place_of, function)
        return stem
    def call(stem, number, function):
        with open(f"{spool}/{stem}-0.segment", "r+b") as file:
            file.seek(4096 + 24 * number)
            file.write(struct.pack("<IIQII", function + 1, 1, now(), number, function))
            file.seek(4032)
            file.write(struct.pack("<I", number + 1))
    def end(stem):
        with open(f"{spool}/{stem}.process", "r+b") as file:
            file.seek(watch + 24)
            file.write(struct.pack("<Q", now()))

    """#

  /// Process n has called function i if bit i of n is set. Ends by SIGKILL.
  private static let watcher =
    writing + #"""
      living, begun = [], time.monotonic()
      for n in range(int(sys.argv[2])):
          time.sleep(max(0, begun + n / float(sys.argv[3]) - time.monotonic()))
          living.append(begin(n, [bit for bit in range(8) if n >> bit & 1], int(n % 10 == 0)))
          if len(living) > 20: end(living.pop(0))
      os.kill(os.getpid(), signal.SIGKILL)
      """#

  private static let longWatch =
    writing + #"""
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
      stem = begin(1, [1, 2], 1, since=20 * 86400 * 10**9)
      print("begun", flush=True)
      signal.sigwait([signal.SIGUSR1])
      call(stem, 2, 3)
      print("called", flush=True)
      signal.sigwait([signal.SIGUSR1])
      end(stem)
      print("ended", flush=True)
      """#
}
