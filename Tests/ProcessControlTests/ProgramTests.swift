import FirstlightModel
import Foundation
import ProcessControl
import SystemSupport
import TestSupport
import Testing

@Suite struct ProgramTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func run(_ command: [String], _ environment: [TextBytes: String?] = [:]) throws -> String
  {
    let log = try ProgramLog(directory.path("log"))
    var launch = PlainLaunch(log: log)
    _ = try launch.start(
      command, environment: ProgramEnvironment(environment), mask: SignalMask.current.set,
      streams: nil)
    while launch.end() == nil { usleep(1000) }
    return try TextFile.read(log.path)
  }

  @Test func aProgramHasOurEnvironmentWithChanges() throws {
    setenv("FIRSTLIGHT_TEST_TAKEN", "here", 1)
    defer { unsetenv("FIRSTLIGHT_TEST_TAKEN") }
    #expect(try run(["sh", "-c", "echo $FIRSTLIGHT_TEST_TAKEN"]) == "here\n")
    let changed = try run(
      ["sh", "-c", "echo ${FIRSTLIGHT_TEST_TAKEN-none} $FIRSTLIGHT_TEST_GIVEN"],
      ["FIRSTLIGHT_TEST_TAKEN": nil as String?, "FIRSTLIGHT_TEST_GIVEN": "a b"])
    #expect(changed == "none a b\n")
  }

  @Test func startFailuresUseTheExitCodesOfEnv() throws {
    let text = try directory.write("no program", to: "text")
    for (program, kind) in [("/no/such", Failure.Kind.notFound), (text, .notExecutable)] {
      var launch = PlainLaunch()
      let failure = #expect(throws: Failure.self) {
        try launch.start(
          [program], environment: ProgramEnvironment(), mask: sigset_t(), streams: nil)
      }
      #expect(failure?.kind == kind)
      #expect(failure?.kind.rawValue == (try Command.run(["env", program]).status))
    }
  }

  @Test func aCommandsLastLinesAreKept() throws {
    let log = try ProgramLog(directory.path("log"))
    let status = try ProgramCommand(shell: "echo one; echo two >&2; echo; exit 3", log: log).run(
      "testing")
    #expect(status.text == "ended with exit status 3")
    #expect(log.lastLines(2) == ["one", "two"])
    #expect(!status.isInterrupted)
    // As a shell says it, and as the system does.
    #expect(WaitStatus(130 << 8).isInterrupted)
    #expect(WaitStatus(SIGINT).isInterrupted)
  }

  @Test(arguments: [
    (
      "/usr/bin/ld: /tmp/a.o: in function `main':\na.c:(.text+0x5): undefined reference to `lost'\n"
        + "collect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: app] Error 1\n",
      ["a.c:(.text+0x5): undefined reference to `lost'"]
    ),
    (
      "a.c:1:9: error: expected ';'\nmake: *** [Makefile:2: a.o] Error 1\n",
      ["a.c:1:9: error: expected ';'"]
    ),
    (
      "ld.lld: error: undefined symbol: lost\nclang: error: linker command failed with exit code 1\n",
      ["ld.lld: error: undefined symbol: lost"]
    ),
    (
      "make: *** No rule to make target 'all'.  Stop.\n",
      ["make: *** No rule to make target 'all'.  Stop."]
    ),
  ])
  func aFailedBuildIsExplainedByItsCauses(output: String, lines: [String]) throws {
    let log = try ProgramLog(directory.path("log"))
    _ = output.withCString { write(log.descriptor, $0, output.utf8.count) }
    #expect(log.reasons(12) == lines)
  }

  @Test func aSessionIsKilledWhenItsTimeIsOver() throws {
    let log = try ProgramLog(directory.path("log"))
    let shell = ProgramCommand(
      shell: "sleep 1000 & echo up; sleep 1000", scope: .session, log: log)
    let ending = try shell.runToEnd(limit: 0.3)
    #expect(ending.isLate && ending.status.signal == SIGKILL && ending.signal == nil)
    #expect(log.lastLine == "up")
  }

  @Test func aMeasuredProgramTellsHowItEnded() throws {
    let program = try MeasuredProgram(
      path: "/bin/sh", arguments: ["sh", "-c", "echo trouble >&2; exit 7"],
      environment: ProgramEnvironment(), traced: false)
    while program.nextChange(wait: true) != .ended {}
    #expect((try #require(program.ending)).status.exitStatus == 7)
    #expect(program.lastWords == "trouble")
  }

  @Test func aCPUAffinityIsThatOfTheKernel() throws {
    let mask = try #require(CPUAffinity.current)
    let list = try Command.check([
      "python3", "-c", "import os; print(*sorted(os.sched_getaffinity(0)))",
    ])
    #expect(
      mask.processors
        == list.split(separator: " ").compactMap { Int($0.trimmingCharacters(in: .newlines)) })
    let inside = mask.only(mask.processors[0]).hold { CPUAffinity.current?.processors }
    #expect(inside == [mask.processors[0]])
    #expect(CPUAffinity.current?.processors == mask.processors)
  }
}
