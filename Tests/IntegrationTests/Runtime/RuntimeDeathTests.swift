import Foundation
import TestSupport
import Testing

/// However a process dies, what it had called is in its trace. Scripts/soak does it more often.
@Suite(.tags(.compiler)) struct RuntimeDeathTests {
  static let runs =
    ProcessInfo.processInfo.environment["FIRSTLIGHT_SOAK_RUNS"].flatMap(Int.init) ?? 50
  static let ways = ["kill", "segv", "abort", "_exit", "quick_exit", "wait"]

  @Test func everyFunctionThatWasEnteredIsInTheTrace() throws {
    let program = try Fixture.runtime("killed")
    for first in stride(from: 0, to: Self.runs, by: 50) {
      try die(program, runs: min(50, Self.runs - first))
    }
  }

  /// A function's body notes that it runs, after its hook: so what is noted must be recorded, and
  /// what is recorded beyond that is at most a call for each thread.
  private func die(_ program: Fixture, runs: Int) throws {
    let spool = try Spool()
    spool.keep(program.directory)
    let logs = try TemporaryDirectory()
    var pids: [Int] = []
    for run in 0..<runs {
      let way = Self.ways[run % Self.ways.count]
      let log = logs.path("log")
      let running = try Command.start(
        [program.executable, log, way, way == "wait" ? "-1" : "\(Int.random(in: 0..<1000))"],
        environment: spool.environment)
      if way == "wait" {
        let enough = Int.random(in: 1..<1000)
        while running.process.isRunning && (entered(log).count < enough) {}
        running.send(SIGKILL)
      }
      _ = try running.wait()
      let pid = Int(running.process.processIdentifier)
      try FileManager.default.moveItem(atPath: log, toPath: logs.path("\(pid)"))
      pids.append(pid)
    }
    for segment in try RawSegment.all(in: spool.directory) {
      #expect(segment.uncommitted <= 4)
      #expect(Set(segment.records.map(\.guard)).count == segment.records.count)
    }
    let traces = Dictionary(uniqueKeysWithValues: try spool.traces().map { ($0.pid, $0.names) })
    #expect(Set(traces.keys) == Set(pids))
    for (pid, names) in traces {
      let entered = entered(logs.path("\(pid)"))
      let called = Set(names.compactMap { $0.first == "f" ? Int($0.dropFirst()) : nil })
      #expect(entered.subtracting(called) == [])
      #expect(called.count <= entered.count + 4)
    }
  }

  private func entered(_ log: String) -> Set<Int> {
    let bytes = (try? Data(contentsOf: URL(fileURLWithPath: log))) ?? Data()
    return Set(bytes.indices.filter { bytes[$0] == 1 })
  }
}
