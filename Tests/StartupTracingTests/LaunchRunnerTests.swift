import FirstlightModel
import Foundation
import ProcessControl
import StartupTracing
import TestSupport
import Testing

@Suite(.serialized) struct LaunchRunnerTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func program(_ body: String) throws -> String {
    try directory.write(
      "#include <stdlib.h>\nint work(void) { return 1; }\nint main(void) { work(); \(body) }\n",
      to: "main.c")
    try Command.check(["clang", "-g", "-O0", "main.c", "-o", "program"], in: directory.url)
    return directory.path("program")
  }

  private func run(_ program: String, until: StartupMoment = .exit) throws -> LaunchRunner.Result {
    var runner = LaunchRunner(
      command: [program], until: until, runs: 2, isCold: false, timeout: 20, callsOf: [])
    return try runner.run()
  }

  @Test func startsAreWatchedAndLeftAlone() throws {
    let result = try run(program("return 0;"))
    #expect(result.account.failure == nil)
    #expect(result.account.plain.count == 2)
    let profile = try #require(result.calls?.profile)
    let names = profile.builds.flatMap { build in
      zip(build.build.functions, build.build.entryGuards)
        .filter { build.coverage[Int($0.1)].isCalled }.map(\.0.name)
    }
    #expect(Set(["main", "work"]).isSubset(of: names))
  }

  @Test func aStartThatFailsSaysHow() throws {
    let result = try run(program("abort();"))
    #expect(result.account.failure?.contains("killed by signal 6") == true)
    let early = try run(program("return 3;"), until: .port(9))
    #expect(early.account.failure?.contains("exit status 3 before it had listened") == true)
  }
}
