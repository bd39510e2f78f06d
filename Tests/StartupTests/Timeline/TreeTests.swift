import FirstlightModel
import Startup
import Testing

/// The start-up tree: every nanosecond once.
@Suite struct TreeTests {
  private func path(_ index: Int, _ tree: StartupTree, _ timeline: Timeline) -> String {
    var names: [String] = []
    var index = index
    while index >= 0 {
      switch tree.nodes[index].frame {
      case .process: names.append("program")
      case .stage(let kind): names.append(kind.rawValue)
      case .thread(let thread): names.append(timeline.threads[thread].name)
      case .module(let name): names.append(name)
      case .function(let function, _): names.append(timeline.functions[function].name)
      }
      index = tree.nodes[index].parent
    }
    return names.reversed().joined(separator: "/")
  }

  @Test func callsAreCutAtTheStagesThatTheyCross() throws {
    let timeline = try Timeline(of: SyntheticProfile.whole())
    let tree = timeline.startupTree()
    var weights: [String: UInt64] = [:]
    for index in tree.nodes.indices where tree.nodes[index].weight > 0 {
      weights[path(index, tree, timeline)] = tree.nodes[index].weight
    }
    #expect(
      weights == [
        "program/exec": 100_000,
        "program/mapping": 100_000,
        "program/relocating": 100_000,
        "program/initializers/_start": 110_000,
        "program/initializers/_start/setup<tables>": 90_000,
        "program/initializers/_start/setup<tables>/helper;of setup": 100_000,
        "program/main/_start/main": 170_000,
        "program/main/_start/main/load \"config\"": 40_000,
        "program/main/_start/main/load \"config\"/parse": 160_000,
        "program/main/_start/main/thrower": 10_000,
        "program/main/_start/main/thrower/thrown": 20_000,
        "program/thread 101/worker": 220_000,
        "program/thread 101/worker/resume": 30_000,
      ])
    // The main thread's share is the stages' sum, which is the whole start-up.
    let others = weights.filter { $0.key.contains("thread") }.values.reduce(0, +)
    #expect(tree.nodes[0].total - others == 1_000_000)
  }

  @Test func theSameStackOfTwoProcessesStaysApart() throws {
    var profile = SyntheticProfile.profile([.init(name: "main", start: 0, duration: 100)])
    var second = profile.processes[0]
    second.id = "200-2-0"
    second.pid = 200
    second.startedAt += 0.001
    profile.processes.append(second)
    let timeline = try Timeline(of: profile)
    #expect(timeline.processes.map(\.start) == [0, 1_000_000])
    #expect(timeline.functions.count == 1)
    let tree = timeline.startupTree()
    #expect(tree.nodes.filter { $0.parent < 0 }.map(\.total) == [100, 100])
  }
}
