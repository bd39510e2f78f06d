import FirstlightLaunch
import Synchronization
import Testing

/// What runs when, and what the report says of it.
@Suite struct LaunchRunTests {
  /// Names in the order in which tasks ran.
  private final class Names: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  @Test func theCriticalPathIsWhatTheAppWaitedFor() async throws {
    let clock = TestClock()
    let times = ["config": 20, "database": 50, "routes": 5, "listen": 10]
    func task(_ name: String, after dependencies: [String] = []) -> LaunchTask {
      LaunchTask(name, after: dependencies) {
        clock.advance(by: .milliseconds(times[name] ?? 0))
      }
    }
    // One at a time, so that the times add up.
    let plan = try LaunchPlan(
      [
        task("listen", after: ["database", "routes"]), task("routes", after: ["config"]),
        task("config"), task("database", after: ["config"]),
      ], width: 1)
    let report = try await plan.run(clock: clock)
    #expect(report.readyAfter == .milliseconds(85))
    #expect(report.criticalPath.map(\.name) == ["config", "database", "listen"])
    #expect(report.criticalPath.map(\.duration) == [20, 50, 10].map { .milliseconds($0) })
    // routes came between config and database.
    #expect(report.criticalPath.map(\.start) == [0, 25, 75].map { .milliseconds($0) })
    #expect(report.description.contains("database  50.0  waited 5.0 for a free slot\n"))
    #expect(report.entries.map(\.name) == ["listen", "routes", "config", "database"])
  }

  /// Two chains run beside each other; the longer one is what counts.
  @Test func ofTwoChainsTheLongerOneIsCritical() async throws {
    let clock = TestClock()
    let (short, long) = (Event(), Event())
    let plan = try LaunchPlan(
      [
        LaunchTask("a") { await short.wait() },
        LaunchTask("b") {
          clock.advance(by: .milliseconds(10))
          short.happen()
          await long.wait()
        },
        LaunchTask("c", after: ["a"]) {
          clock.advance(by: .milliseconds(5))
          long.happen()
        },
        LaunchTask("d", after: ["b"]) { clock.advance(by: .milliseconds(40)) },
      ], width: 2)
    let report = try await plan.run(clock: clock)
    #expect(report.criticalPath.map(\.name) == ["b", "d"])
    #expect(report.readyAfter == .milliseconds(55))
    #expect(report.description.contains("Ready after 55.0 ms"))
  }

  @Test func independentTasksRunInParallel() async throws {
    // Each waits for the other: one after the other they would wait for ever.
    let (left, right) = (Event(), Event())
    let plan = try LaunchPlan(
      [
        LaunchTask("left") {
          left.happen()
          await right.wait()
        },
        LaunchTask("right") {
          right.happen()
          await left.wait()
        },
      ], width: 2)
    #expect(try await plan.run().readyAfter != nil)
  }

  @Test(arguments: [1, 2, 3])
  func noMoreRunAtOnceThanTheWidth(width: Int) async throws {
    let running = Mutex((now: 0, most: 0))
    let full = Event()
    let tasks = (0..<12).map { index in
      LaunchTask("\(index)") {
        let now = running.withLock { state in
          state.now += 1
          state.most = max(state.most, state.now)
          return state.now
        }
        // The first ones hold on until as many run as may.
        if now == width { full.happen() }
        await full.wait()
        running.withLock { $0.now -= 1 }
      }
    }
    _ = try await LaunchPlan(tasks, width: width).run()
    #expect(running.withLock { $0.most } == width)
  }

  @Test func theTaskWithMostBehindItStartsFirst() async throws {
    let names = Names()
    let plan = try LaunchPlan(
      ["x:", "y:", "a:", "b:a", "c:b"].map { text in
        let name = String(text.prefix(1))
        return LaunchTask(name, after: text.dropFirst(2).map(String.init)) { names.add(name) }
      }, width: 1)
    _ = try await plan.run()
    #expect(names.all == ["a", "b", "x", "y", "c"])
  }

  @Test func theStagesFollowEachOther() async throws {
    let names = Names()
    let ready = Event()
    let plan = try LaunchPlan([
      LaunchTask("idle", after: ["later"], stage: .idle) { names.add("idle") },
      LaunchTask("later", after: ["first"], stage: .afterReady) {
        await ready.wait()
        names.add("later")
      },
      LaunchTask("first") { names.add("first") },
    ])
    let report = try await plan.run { report in
      #expect(report.readyAfter != nil)
      #expect(report.criticalPath.map(\.name) == ["first"])
      names.add("ready")
      ready.happen()
    }
    #expect(names.all.prefix(2) == ["first", "ready"])
    #expect(report.entries.map(\.name) == ["idle", "later", "first"])
    #expect(try await plan.run().entries.allSatisfy { $0.isDone })
  }

  @Test @MainActor func tasksOfTheMainActorRunThere() async throws {
    final class Window { var isOpen = false }
    let window = Window()
    let plan = try LaunchPlan([
      LaunchTask("config") {},
      .onMainActor("window", after: ["config"]) {
        MainActor.assertIsolated()
        window.isOpen = true
      },
    ])
    _ = try await plan.run()
    #expect(window.isOpen)
  }
}

extension LaunchReport.Entry {
  var isDone: Bool {
    if case .done = outcome { return true }
    return false
  }
}
