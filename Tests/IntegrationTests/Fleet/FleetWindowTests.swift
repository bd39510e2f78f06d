import Foundation
import TestSupport
import Testing

/// Running programs, never rebuilt, on their way to a fleet's never-called list.
@Suite(
  .serialized, .enabled(if: Attached.hasProbes, "needs the kernel's probes: root and Linux 6.6"))
struct FleetWindowTests {
  /// Begins to watch, and sends a window each second.
  private func watch(
    _ program: Attached, to url: String, _ options: [String] = []
  ) throws -> RunningCommand {
    let command = try Command.start(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "--upload", url]
        + ["--every", "1s", "--attach", "\(program.pid)"] + options)
    try command.waitForOutput { $0.contains("watching ") ? true : nil }
    return command
  }

  private func sent(_ windows: Int, by command: RunningCommand) throws {
    try command.waitForOutput { output in
      output.split(separator: "\n").count { $0.contains("sent the window ") } >= windows
        ? true : nil
    }
  }

  private func end(_ command: RunningCommand, status: Int32 = 0) throws {
    command.send(SIGTERM)
    let result = try command.wait()
    #expect(result.status == status && !result.signalled, "\(result.output)")
  }

  private func verdicts(from source: String, _ options: [String] = []) throws -> [String: String] {
    let text = try Command.check(
      [Toolchain.firstlight, "fleet", "dead", "--all", "--format", "json", "--from", source]
        + options)
    let dead = try JSONDecoder().decode(DeadDocument.self, from: Data(text.utf8))
    let own = dead.functions.compactMap { function in
      Attached.own.contains(function.mangledName) ? (function.mangledName, function.verdict) : nil
    }
    return Dictionary(own, uniquingKeysWith: { first, _ in first })
  }

  private static func daemon(_ store: String, port: Int = 0) throws -> (Daemon, url: String) {
    let daemon = try Daemon(["--store", "sqlite:\(store)", "--listen", "127.0.0.1:\(port)"])
    return (daemon, "http://127.0.0.1:\(try daemon.port())")
  }

  @Test func aFleetsListIsTheUnionOfWhatAttachedHostsSaw() throws {
    let first = try Attached()
    let second = try first.elsewhere()
    let store = first.directory.path("fleet.sqlite")
    let (daemon, url) = try Self.daemon(store)
    try Command.check([
      Toolchain.firstlight, "upload-symbols", first.executable, "--to", url,
    ])
    let watches = [
      try watch(first, to: url, ["--label", "version=one", "--label", "host=left"]),
      try watch(second, to: url, ["--label", "version=two"]),
    ]
    // In two windows on one host, in one on the other.
    try first.does("a")
    try sent(2, by: watches[0])
    try first.does("b")
    try second.does("t")
    for watch in watches { try end(watch) }
    let called = ["a", "b", "threaded", "in_thread"]
    // A start may have called the others unseen.
    let watched = "not called while watched"
    var expected = [
      "behind_b": watched, "unreferenced": watched, "start_up": watched, "in_start_up": watched,
      "in_table": watched, "forked": watched,
    ]
    for name in called { expected[name] = "called" }
    for source in [url, "sqlite:\(store)"] { #expect(try verdicts(from: source) == expected) }
    // Each host alone does not know what the other saw.
    let one = try verdicts(from: url, ["--version", "one"])
    #expect(one["a"] == "called" && one["b"] == "called")
    #expect(one["threaded"] == watched && one["behind_b"] == watched)
    #expect(try verdicts(from: url, ["--label", "host=left", "--since", "2026-01-01"]) == one)
    let two = try verdicts(from: url, ["--version", "two"])
    #expect(two["threaded"] == "called" && two["a"] == watched)
    let text = try Command.check([
      Toolchain.firstlight, "fleet", "dead", "--from", url,
    ])
    #expect(text.contains("Recorded 2 windows ("), "\(text)")
    let runs = try Command.check([
      "sqlite3", "-readonly", store, "SELECT sum(runs), count(*) FROM state",
    ])
    #expect(runs == "2|2\n")
    for program in [first, second] { try program.end() }
    try daemon.stop()
  }

  @Test func windowsWaitOnDiskWhileTheCollectorIsAway() throws {
    let program = try Attached()
    let store = program.directory.path("fleet.sqlite")
    let (before, url) = try Self.daemon(store)
    let port = try before.port()
    try before.stop()
    let away = try watch(program, to: url)
    try program.does("a")
    try away.waitForOutput { $0.contains("warning: not sent") ? true : nil }
    away.send(SIGTERM)
    let result = try away.wait()
    let isLeft = result.output.contains("1 window not sent, it waits in")
    #expect(result.status == 69 && isLeft, "\(result.output)")
    let (daemon, _) = try Self.daemon(store, port: port)
    try Command.check([
      Toolchain.firstlight, "upload-symbols", program.executable, "--to", url,
    ])
    let back = try watch(program, to: url)
    try program.does("b")
    try end(back)
    let verdicts = try verdicts(from: url)
    #expect(verdicts["a"] == "called" && verdicts["b"] == "called")
    #expect(verdicts["start_up"] == "not called while watched")
    try program.end()
    try daemon.stop()
  }

  @Test func wrongOptionsSayWhatToLeaveOut() throws {
    for (arguments, reason) in [
      (["--every", "1h", "true"], "belong to --upload"),
      (["--upload", "http://127.0.0.1:1", "true"], "leave out --ptrace and -o"),
      (["--upload", "http://127.0.0.1:1", "--attach", "1", "--ptrace"], "leave out --ptrace"),
    ] {
      let result = try Command.run([Toolchain.firstlight, "record"] + arguments)
      #expect(result.status == 64 && result.errors.contains(reason), "\(result.errors)")
    }
  }
}
