import FirstlightLaunch
import Testing

/// A plan that cannot work is refused before anything runs, and the tasks at fault are named.
@Suite struct LaunchGraphTests {
  @Test func twoTasksOfOneName() {
    #expect(problem([task("a"), task("b"), task("a")]) == "two launch tasks are named \"a\"")
  }

  @Test func missingDependenciesAreRefused() {
    #expect(
      problem([task("a", after: ["b"])])
        == "launch task \"a\" depends on \"b\", which is not in the plan")
  }

  @Test(
    arguments: [
      (["a": ["a"]], ["a"]), (["a": ["b"], "b": ["a"]], ["a", "b"]),
      (["a": [], "b": ["a", "d"], "c": ["b"], "d": ["c"], "e": ["d"]], ["b", "c", "d"]),
    ] as [([String: [String]], Set<String>)])
  func tasksThatWaitForEachOther(graph: [String: [String]], cycle: Set<String>) throws {
    let error = try #require(throws: LaunchError.self) {
      try LaunchPlan(graph.sorted { $0.key < $1.key }.map { task($0.key, after: $0.value) })
    }
    guard case .cycle(let tasks) = error else { throw error }
    #expect(Set(tasks) == cycle)
    // Each really comes after the next.
    for (task, next) in zip(tasks, tasks.dropFirst() + tasks.prefix(1)) {
      #expect(graph[task]?.contains(next) == true)
    }
  }

  @Test func aTaskCannotWaitForALaterStage() {
    #expect(
      problem([task("a", stage: .afterReady), task("b", after: ["a"])])
        == "launch task \"b\" depends on \"a\", which is in a later stage")
    #expect(problem([task("a"), task("b", after: ["a"], stage: .idle)]) == nil)
  }

  @Test func tenThousandTasksAreChecked() throws {
    let tasks = (0..<10_000).map { task("\($0)", after: $0 == 0 ? [] : ["\($0 - 1)"]) }
    _ = try LaunchPlan(tasks)
    let error = try #require(throws: LaunchError.self) {
      try LaunchPlan(tasks.dropFirst() + [task("0", after: ["9999"])])
    }
    guard case .cycle(let cycle) = error else { throw error }
    #expect(cycle.count == 10_000)
  }

  private func task(
    _ name: String, after dependencies: [String] = [], stage: LaunchTask.Stage = .beforeReady
  ) -> LaunchTask {
    LaunchTask(name, after: dependencies, stage: stage) { Issue.record("\(name) ran") }
  }

  private func problem(_ tasks: [LaunchTask]) -> String? {
    do {
      _ = try LaunchPlan(tasks)
      return nil
    } catch {
      return error.description
    }
  }
}
