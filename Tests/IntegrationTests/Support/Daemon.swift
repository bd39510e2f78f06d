import Foundation
import TestSupport
import Testing

/// A firstlightd that runs, as people would start it.
final class Daemon {
  let command: RunningCommand

  static var path: String { Toolchain.products.appending(path: "firstlightd").path }

  /// Starts one; its log comes as output, so that a test can wait for what it says.
  /// - Parameter before: a program, with its arguments, that starts it.
  init(
    _ arguments: [String], environment: [String: String] = [:], before: [String] = []
  ) throws {
    command = try Command.start(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh"] + before + [Self.path] + arguments,
      environment: environment)
  }

  /// The port it was given, once it listens.
  func port() throws -> Int {
    try command.waitForOutput { output in
      output.split(separator: "\n").lazy.compactMap { line in
        line.contains("[Collector] listening")
          ? line.split(separator: " ").first { $0.hasPrefix("port=") }.flatMap {
            Int($0.dropFirst(5))
          }
          : nil
      }.first
    }
  }

  /// What lets `curl` send to a daemon that was given no tokens.
  static func mayPost(_ type: String, state: String = TemporaryDirectory.state) throws -> [String] {
    let token = try String(contentsOfFile: state + "/firstlight/local-token", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    return ["-H", "Authorization: Bearer \(token)", "-H", "Content-Type: \(type)"]
  }

  /// Waits until it has taken in that many processes since its start.
  func hasTaken(_ count: Int) throws {
    try command.waitForOutput {
      Self.sum(of: "collected", "processes=", in: $0) >= count ? true : nil
    }
  }

  func hasSaid(_ text: String) throws {
    try command.waitForOutput { $0.contains(text) ? true : nil }
  }

  /// Waits until it says a text once more after `event`.
  func hasSaid(_ text: String, after event: () throws -> Void) throws {
    try event()
    let before = try command.waitForOutput { $0.ranges(of: text).count }
    try command.waitForOutput { $0.ranges(of: text).count > before ? true : nil }
  }

  /// Waits until SQL on its store, or on its ledger, gives a text.
  func waits(
    for expected: String, from sql: String, in database: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try command.wait(sourceLocation: sourceLocation) {
      // The store may not be there yet, or be busy.
      try Command.run(["sqlite3", "-readonly", database, sql]).output == expected + "\n"
    }
  }

  static func sum(of message: String, _ key: String, in output: String) -> Int {
    output.split(separator: "\n").filter { $0.hasSuffix(message) }.reduce(0) { sum, line in
      sum
        + (line.split(separator: " ").first { $0.hasPrefix(key) }.flatMap {
          Int($0.dropFirst(key.count))
        } ?? 0)
    }
  }

  /// Ends it as a service manager does; it has to end well.
  func stop(sourceLocation: SourceLocation = #_sourceLocation) throws {
    command.send(SIGTERM)
    try command.waitForEnd(sourceLocation: sourceLocation)
    let result = try command.wait()
    #expect(
      result.status == 0 && !result.signalled, "\(result.output.suffix(2000))",
      sourceLocation: sourceLocation)
  }

  /// Ends it as a power cut does.
  func kill() throws {
    command.send(SIGKILL)
    _ = try command.wait()
  }
}

/// A spool, and a program that calls what its argument says: `b`, `d`, and with `f` a forked child
/// that calls `c` and `b`, then `c` itself.
struct FleetFixture {
  let program: Fixture
  let spool: String
  let store: String

  /// - Parameter isOwn: whether the program is a build of its own.
  init(isOwn: Bool = false) throws {
    program = try Fixture.c(
      """
      #include <string.h>
      #include <sys/wait.h>
      #include <unistd.h>
      extern void firstlight_ready(void);
      #define F(name) __attribute__((noinline)) int name(int x) { return x + __LINE__; }
      F(a)
      F(b)
      F(c)
      F(d)
      F(never)
      int main(int n, char **v) {
        volatile int s = a(n);
        const char *what = n > 1 ? v[1] : "";
        firstlight_ready();
        if (strchr(what, 'b')) s = b(s);
        if (strchr(what, 'f')) {
          if (fork() == 0) { s = c(s); s = b(s); _exit(0); }
          wait(0);
          s = c(s);
        }
        if (strchr(what, 'd')) s = d(s);
        if (n > 5) s = never(s);
        return 0;
      }
      """, options: ["-O0"], isOwn: isOwn)
    spool = program.directory.path("spool")
    store = program.directory.path("fleet.sqlite")
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
  }

  /// The same program with another spool and store.
  init(copying fleet: FleetFixture, spool: String, store: String) {
    program = fleet.program
    self.spool = spool
    self.store = store
  }

  /// Runs the program with the spool.
  func run(_ what: String, in spool: String? = nil) throws {
    try Command.check(
      [program.executable, what], environment: ["FIRSTLIGHT_DIR": spool ?? self.spool])
  }

  /// Runs it, keeps a profile of just that run, and leaves its files in the spool.
  func runAndRecord(_ what: String, number: Int) throws -> String {
    let own = program.directory.path("run-\(number)")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    try run(what, in: own)
    let profile = program.directory.path("run-\(number).flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--directory", own])
    for name in try FileManager.default.contentsOfDirectory(atPath: own) {
      try FileManager.default.moveItem(atPath: "\(own)/\(name)", toPath: "\(spool)/\(name)")
    }
    return profile
  }

  /// Names of what is in the spool but for the daemon's own.
  var leftInSpool: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: spool).filter { $0 != ".firstlightd" }
    }
  }

  /// How many runs called each function, as a script adds up the rows of the store.
  func counts(of store: String? = nil) throws -> String {
    try HostileScript.run("sums", store ?? self.store)
  }
}

/// Questions to the tables of stores and ledgers.
enum FleetSQL {
  /// How many processes a store has counted.
  static let processes = "SELECT ifnull(sum(processes), 0) FROM state"
  /// In how many runs of the fixture's program.
  static let programRuns = """
    SELECT ifnull(sum(program_runs), 0) FROM state JOIN build ON build.id = state.build
    WHERE program = 'program'
    """
  /// How many rows of a ledger its receiver does not have.
  static let waiting = "SELECT count(*) FROM state WHERE version > acknowledged"
}
