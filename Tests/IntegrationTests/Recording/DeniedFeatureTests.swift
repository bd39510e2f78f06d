import Foundation
import TestSupport
import Testing

/// Kernels that lack a feature, and containers that deny it: a filter answers as they do.
@Suite(.tags(.compiler)) struct DeniedFeatureTests {
  /// Those that Tests/Fixtures/runtime/deny.c knows, by the ids of `firstlight doctor`.
  static let deniable = [
    "ptrace", "proc-mem", "syscall-info", "kcmp", "wipe-on-fork", "page-dropping", "inotify",
    "pidfd", "openat2", "close-range", "seccomp",
  ]

  private let deny: Fixture

  init() throws {
    deny = try Fixture.c(try Fixture.runtimeSource("deny"), flags: [])
  }

  private func run(
    without feature: String, _ command: [String], in folder: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> CommandResult {
    try Command.run(
      [deny.executable, feature] + command, in: folder, environment: environment)
  }

  // MARK: What doctor says

  private struct Machine: Decodable {
    struct Finding: Decodable, Equatable {
      var id, state, value: String
      var cost, advice: String?
    }
    var findings: [Finding]
  }

  private func findings(before: [String] = []) throws -> [String: Machine.Finding] {
    // Without programs on PATH there is none to start.
    let text = try Command.check(
      before + [Toolchain.firstlight, "doctor", "--format", "json"], environment: ["PATH": "/"])
    let machine = try JSONDecoder().decode(Machine.self, from: Data(text.utf8))
    return Dictionary(uniqueKeysWithValues: machine.findings.map { ($0.id, $0) })
  }

  @Test func doctorFindsJustWhatIsDenied() throws {
    let usual = try findings()
    for feature in Self.deniable where usual[feature]?.state == "available" {
      let denied = try findings(before: [deny.executable, feature])
      #expect(denied.count == usual.count)
      let changed = Set(usual.keys.filter { usual[$0] != denied[$0] })
      // Without ptrace nothing of it can be tried.
      let untried = ["proc-mem", "syscall-info"]
      let expected = [feature, "system-call-filter"] + (feature == "ptrace" ? untried : [])
      #expect(changed == Set(expected), "\(feature)")
      let finding = try #require(denied[feature])
      #expect(["missing", "limited"].contains(finding.state) && finding.cost != nil, "\(feature)")
    }
  }

  @Test func doctorIsReadByPeopleAndEndsWell() throws {
    let result = try Command.run(
      [Toolchain.firstlight, "doctor"], environment: ["DEBUGINFOD_URLS": "https://example.org/"])
    #expect(result.status == 0 && result.errors == "")
    #expect(result.output.contains("\n  ok      debuginfod  ") && !result.output.contains("\u{1b}"))
    #expect(result.output.contains("https://example.org"))
    let clang = try Command.check(["clang", "--version"]).split(separator: " ")[2]
    #expect(result.output.contains("\(clang), "))
  }

  // MARK: Fall-backs

  /// Processes, threads, and children that share memory.
  private func caller() throws -> Fixture {
    try Fixture.c(
      """
      #include <pthread.h>
      #include <sys/wait.h>
      #include <unistd.h>
      void in_thread(void) {}
      void *run(void *unused) { in_thread(); return unused; }
      void in_fork(void) {}
      void in_vfork(void) {}
      void last(void) {}
      int main(void) {
        pthread_t thread;
        pthread_create(&thread, 0, run, 0);
        pthread_join(thread, 0);
        if (fork() == 0) { in_fork(); _exit(0); }
        wait(0);
        if (vfork() == 0) { in_vfork(); _exit(0); }
        wait(0);
        last();
        return 0;
      }
      """, options: ["-O0", "-pthread"], flags: Fixture.plain)
  }

  @Test(arguments: ["proc-mem", "kcmp", "syscall-info"])
  func breakpointsRecordTheSameWithout(feature: String) throws {
    let program = try caller()
    let profile = program.directory.path("denied.flp")
    let result = try run(
      without: feature,
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, program.executable])
    #expect(result.status == 0, "\(result.errors)")
    let whole = try program.watch()
    #expect(try Watched(result: result, profile: profile).order() == whole.order())
    #expect(
      try Answer.info(profile).processes.map(\.firstCalls)
        == (try Answer.info(whole.profile).processes.map(\.firstCalls)))
  }

  @Test(arguments: ["proc-mem", "syscall-info"])
  func launchShowsTheCallsWithout(feature: String) throws {
    let program = try caller()
    let result = try run(
      without: feature,
      [Toolchain.firstlight, "launch", "--runs", "2", "--format", "json", program.executable])
    #expect(result.status == 0, "\(result.errors)")
    let document = try JSONDecoder().decode(LaunchDocument.self, from: Data(result.output.utf8))
    #expect(document.failure == nil)
    let names = (document.calls ?? []).map(\.name)
    #expect(names.contains("main") && names.contains("last"))
    // When libraries were mapped shows in the loader's system calls alone.
    let images = document.detailed.flatMap(\.images)
    #expect(!images.isEmpty)
    #expect(images.contains { $0.mapping != nil } == (feature != "syscall-info"))
  }

  @Test func withoutPtraceLaunchSaysSoAndCompareMeasuresTheRest() throws {
    let program = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    let launch = try run(without: "ptrace", [Toolchain.firstlight, "launch", program.executable])
    #expect(launch.status == 69 && launch.output == "")
    #expect(launch.errors.split(separator: "\n").count == 1, "\(launch.errors)")
    #expect(launch.errors.contains("firstlight doctor"))
    // In a session of its own: it used to kill its process group.
    let compare = try run(
      without: "ptrace",
      [
        "setsid", "--wait", Toolchain.firstlight, "compare", "--warm", "--runs", "5",
        program.executable, program.executable,
      ])
    #expect(compare.status == 0 && !compare.signalled, "\(compare.errors)")
    #expect(compare.output.contains("time to ready (ms)"))
    #expect(compare.output.contains("tracing is not permitted here: memory at exit is unknown"))
  }

  @Test func memoryThatIsNotWipedIsNotRecordedInto() throws {
    let program = try Fixture.runtime("strict")
    let spool = try Spool()
    let result = try program.run(
      ["fork"], before: [deny.executable, "wipe-on-fork"], into: spool)
    let bare = try program.run(["fork"])
    #expect(result.status == bare.status && result.signalled == bare.signalled)
    #expect(result.errors.contains("cannot get a page that is wiped on fork; not recording"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(spool.directory.entries == [])
  }

  @Test func coldStartsThatCannotBeAreRefused() throws {
    let program = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    let result = try run(
      without: "page-dropping",
      [
        Toolchain.firstlight, "compare", "--cold", "--runs", "5", program.executable,
        program.executable,
      ])
    #expect(result.status != 0 && result.output == "")
    #expect(result.errors.contains("cannot be started cold"), "\(result.errors)")
  }

  @Test func waitingForReadinessNeedsInotify() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let profile = program.directory.path("p.flp")
    let result = try run(
      without: "inotify",
      [
        Toolchain.firstlight, "record", "--until", "ready", "-o", profile, program.executable,
      ])
    #expect(result.status == 71)
    #expect(result.errors.contains("raise fs.inotify.max_user_instances"))
  }

  // MARK: The daemon's sandbox

  @Test(arguments: ["close-range", "openat2", "pidfd", "seccomp"])
  func theDaemonCountsWithoutNames(feature: String) throws {
    let fleet = try FleetFixture()
    try fleet.run("fd")
    let daemon = try Daemon(
      ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"],
      before: [deny.executable, feature])
    try daemon.hasTaken(2)
    try daemon.stop()
    #expect(try fleet.counts() == "")
  }
}
