import FirstlightLaunch
import Synchronization
import Testing

/// Errors, cancellation and timeouts.
@Suite struct LaunchFailureTests {
  private struct Broken: Error {}

  /// Runs until it is cancelled.
  private static func forEver(_ begun: Event? = nil) async throws {
    begun?.happen()
    try await Task.sleep(for: .seconds(3600))
  }

  @Test func aTaskThatFailsEndsTheStartAndTheOthers() async throws {
    let begun = Event()
    let plan = try LaunchPlan(
      [
        LaunchTask("long") { try await Self.forEver(begun) },
        LaunchTask("broken") {
          await begun.wait()
          throw Broken()
        },
        LaunchTask("behind", after: ["broken"]) { Issue.record("ran") },
      ], width: 2)
    let error = try await #require(throws: LaunchError.self) { try await plan.run() }
    #expect(error.description == "launch task \"broken\" failed: Broken()")
  }

  @Test func aDeferredTaskThatFailsEndsOnlyWhatComesAfterIt() async throws {
    let plan = try LaunchPlan([
      LaunchTask("broken", stage: .afterReady) { throw Broken() },
      LaunchTask("behind", after: ["broken"], stage: .afterReady) { Issue.record("ran") },
      LaunchTask("far behind", after: ["behind"], stage: .idle) { Issue.record("ran") },
      LaunchTask("beside", stage: .afterReady) {},
    ])
    let told = Mutex<[String]>([])
    let report = try await plan.run(whenFailed: { entry in
      told.withLock { $0.append("\(entry)") }
    })
    #expect(told.withLock { $0 } == ["launch task \"broken\" failed: Broken()"])
    guard case .failed(let error) = report.entries[0].outcome, error is Broken,
      case .skipped = report.entries[1].outcome, case .skipped = report.entries[2].outcome
    else { throw Broken() }
    #expect(report.entries[3].isDone)
    #expect(report.description.contains("failed: Broken()"))
  }

  /// The app goes on, and hears of the failure while it does.
  @Test func aDeferredTaskThatTakesTooLongIsToldOfAtOnce() async throws {
    let clock = TestClock()
    let told = Event()
    let plan = try LaunchPlan([
      LaunchTask("slow", stage: .afterReady, timeout: .seconds(3)) { try await Self.forEver() },
      LaunchTask("beside", stage: .afterReady) {},
    ])
    let report = try await plan.run(clock: clock) { _ in
      await clock.sleepers(1)
      clock.advance(by: .seconds(4))
      await told.wait()
    } whenFailed: { entry in
      #expect("\(entry)" == "launch task \"slow\" took longer than 3000.0 ms")
      told.happen()
    }
    guard case .failed = report.entries[0].outcome else { throw Broken() }
  }

  @Test func callerCanCancelThePlan() async throws {
    let begun = Event()
    let plan = try LaunchPlan(
      [
        LaunchTask("long") { try await Self.forEver(begun) },
        LaunchTask("behind", after: ["long"]) { Issue.record("ran") },
      ])
    let run = Task { try await plan.run() }
    await begun.wait()
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
  }

  @Test func remainingTasksAreCancelledWhenTheAppEnds() async throws {
    let begun = Event()
    let plan = try LaunchPlan(
      [
        LaunchTask("long", stage: .afterReady) { try await Self.forEver(begun) },
        LaunchTask("never", stage: .idle) { Issue.record("ran") },
      ])
    let report = try await plan.run { _ in await begun.wait() }
    guard case .cancelled = report.entries[0].outcome, case .pending = report.entries[1].outcome
    else { throw Broken() }
  }

  @Test func errorsOfTheAppAreRethrown() async throws {
    let plan = try LaunchPlan([LaunchTask("long", stage: .idle) { try await Self.forEver() }])
    await #expect(throws: Broken.self) { try await plan.run { _ in throw Broken() } }
  }

  @Test func aTaskMayNotTakeLongerThanItsTimeout() async throws {
    let clock = TestClock()
    let plan = try LaunchPlan([
      LaunchTask("long", timeout: .seconds(3)) { try await Self.forEver() }
    ])
    let run = Task { try await plan.run(clock: clock) }
    await clock.sleepers(1)
    clock.advance(by: .seconds(4))
    let error = try await #require(throws: LaunchError.self) { try await run.value }
    #expect(error.description == "launch task \"long\" took longer than 3000.0 ms")
  }

  @Test func theWholeMayNotTakeLongerThanItsTimeout() async throws {
    let clock = TestClock()
    let begun = Event()
    let plan = try LaunchPlan(
      [
        LaunchTask("quick") {},
        LaunchTask("long", after: ["quick"]) { try await Self.forEver(begun) },
        LaunchTask("behind", after: ["long"]) { Issue.record("ran") },
        LaunchTask("later", stage: .idle) { Issue.record("ran") },
      ], timeout: .milliseconds(1500))
    let run = Task { try await plan.run(clock: clock) }
    await begun.wait()
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    let error = try await #require(throws: LaunchError.self) { try await run.value }
    #expect(
      error.description == "not ready after 1500.0 ms, waiting for \"long\", \"behind\"")
  }

  @Test func tasksInTimeAreNotCancelled() async throws {
    let clock = TestClock()
    let plan = try LaunchPlan(
      [LaunchTask("quick", timeout: .seconds(1)) { await clock.sleepers(2) }],
      timeout: .seconds(1))
    #expect(try await plan.run(clock: clock).entries.allSatisfy { $0.isDone })
  }
}
