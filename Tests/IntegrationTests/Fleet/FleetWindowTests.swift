import Foundation
import TestSupport
import Testing

/// Running programs, never rebuilt, on their way to a fleet's never-called list.
@Suite(
  .serialized, .enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
struct FleetWindowTests {
  /// Begins to watch, and leaves a window each second.
  private func watch(
    _ program: Attached, into spool: String
  ) throws -> RunningCommand {
    let command = try Command.start(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "--spool", spool]
        + ["--every", "1s", "--attach", "\(program.pid)"])
    try command.waitForOutput { $0.contains("watching ") ? true : nil }
    return command
  }

  private func left(_ windows: Int, by command: RunningCommand) throws {
    try command.waitForOutput { output in
      output.split(separator: "\n").count { $0.contains("left the window in ") } >= windows
        ? true : nil
    }
  }

  private func end(_ command: RunningCommand) throws {
    command.send(SIGTERM)
    let result = try command.wait()
    #expect(result.status == 0 && !result.signalled, "\(result.output)")
  }

  private func verdicts(from source: String) throws -> [String: String] {
    let text = try Command.check([
      Toolchain.firstlight, "fleet", "dead", "--all", "--format", "json", "--from", source,
    ])
    let dead = try JSONDecoder().decode(DeadDocument.self, from: Data(text.utf8))
    let own = dead.functions.compactMap { function in
      Attached.own.contains(function.mangledName) ? (function.mangledName, function.verdict) : nil
    }
    return Dictionary(own, uniquingKeysWith: { first, _ in first })
  }

  private static let windows = "SELECT sum(runs) FROM state"

  @Test func aFleetsListIsTheUnionOfWhatAttachedHostsSaw() throws {
    let first = try Attached()
    let second = try first.elsewhere()
    let store = first.directory.path("fleet.sqlite")
    let spool = try Self.spool(in: first.directory)
    let daemon = try Daemon([
      "--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
      "--labels", "version=one",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try Command.check([
      Toolchain.firstlight, "upload-symbols", first.executable, "--to", url,
    ])
    let watches = [try watch(first, into: spool), try watch(second, into: spool)]
    // In two windows on one host, in one on the other.
    try first.does("a")
    try left(2, by: watches[0])
    try first.does("b")
    try second.does("t")
    for watch in watches { try end(watch) }
    try waitUntilSent(spool, by: daemon)
    #expect(try Command.check(["sqlite3", "-readonly", store, Self.windows]) == "2\n")
    let called = ["a", "b", "threaded", "in_thread"]
    // A start may have called the others unseen.
    let watched = "not called while watched"
    var expected = [
      "behind_b": watched, "unreferenced": watched, "start_up": watched, "in_start_up": watched,
      "in_table": watched, "forked": watched,
    ]
    for name in called { expected[name] = "called" }
    for source in [url, "sqlite:\(store)"] { #expect(try verdicts(from: source) == expected) }
    let text = try Command.check([
      Toolchain.firstlight, "fleet", "dead", "--from", url, "--version", "one",
    ])
    #expect(text.contains("Recorded 2 windows ("), "\(text)")
    for program in [first, second] { try program.end() }
    try daemon.stop()
  }

  private static func spool(in directory: TemporaryDirectory) throws -> String {
    let path = directory.path("spool")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path
  }

  private func waitUntilSent(_ spool: String, by daemon: Daemon) throws {
    try daemon.command.wait {
      try FileManager.default.contentsOfDirectory(atPath: spool).allSatisfy {
        !$0.hasSuffix(".window")
      }
    }
  }

  @Test func windowsWaitInTheSpoolForADaemon() throws {
    let program = try Attached()
    let store = program.directory.path("fleet.sqlite")
    let spool = try Self.spool(in: program.directory)
    let before = try watch(program, into: spool)
    try program.does("a")
    try left(2, by: before)
    try end(before)
    // Each window has replaced the one before.
    let files = try FileManager.default.contentsOfDirectory(atPath: spool)
    #expect(files.count { $0.hasSuffix(".window") } == 1)
    let daemon = try Daemon([
      "--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try Command.check([
      Toolchain.firstlight, "upload-symbols", program.executable, "--to", url,
    ])
    try daemon.waits(for: "1", from: Self.windows, in: store)
    let verdicts = try verdicts(from: url)
    #expect(verdicts["a"] == "called" && verdicts["start_up"] == "not called while watched")
    try program.end()
    try daemon.stop()
  }

  @Test func wrongOptionsSayWhatToLeaveOut() throws {
    for (arguments, reason) in [
      (["--every", "1h", "true"], "belongs to --spool"),
      (["--spool", "/tmp", "true"], "leave out --ptrace and -o"),
      (["--spool", "/tmp", "--attach", "1", "--ptrace"], "leave out --ptrace"),
    ] {
      let result = try Command.run([Toolchain.firstlight, "record"] + arguments)
      #expect(result.status == 64 && result.errors.contains(reason), "\(result.errors)")
    }
  }
}
