import Glibc
import ProcessControl
import Testing

/// Moments, seen from the programs' side.
@Suite struct ReadinessWatcherTests {
  private func watcher(_ moment: ReadinessCondition) throws -> ReadinessWatcher? {
    try ReadinessWatcher(moment, directory: nil, input: ProgramSurroundings().openInput())
  }

  private func start(_ script: String, _ watch: ReadinessWatcher) throws -> pid_t {
    var launch = PlainLaunch()
    return try launch.start(
      ["/bin/sh", "-c", script], environment: ProgramEnvironment(), mask: SignalMask.current.set,
      streams: watch.streams?.descriptors)
  }

  @Test func aLineIsSeenWhileTheProgramRuns() throws {
    let watch = try #require(try watcher(.line("up and running")))
    let program = try start("echo; echo it is up and running >&2; exec sleep 1000", watch)
    defer {
      kill(program, SIGKILL)
      waitpid(program, nil, 0)
    }
    watch.start(pid: program)
    var reached = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&reached, 1, 60_000) == 1)
    #expect(watch.reachedAt != nil)
    #expect(watch.streams?.lastWords == "it is up and running")
  }

  /// It lies in the terminal, and nobody has read it yet.
  @Test func theLastLineOfAnEndedProgramCounts() throws {
    let watch = try #require(try watcher(.line("up")))
    let program = try start("echo up", watch)
    #expect(waitpid(program, nil, 0) == program)
    #expect(watch.reachedAt == nil)
    watch.finish()
    #expect(watch.reachedAt != nil)
  }

  @Test func aProgramWithoutTheLineIsNotReady() throws {
    let watch = try #require(try watcher(.line("up")))
    let program = try start("echo down", watch)
    watch.start(pid: program)
    #expect(waitpid(program, nil, 0) == program)
    watch.finish()
    #expect(watch.reachedAt == nil)
  }

  @Test func endsAndDurationsNeedNoWatch() throws {
    #expect(try watcher(.exit) == nil)
    #expect(try watcher(.duration(1)) == nil)
  }
}
