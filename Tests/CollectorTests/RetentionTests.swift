import FirstlightModel
import FleetModel
import FleetTestSupport
import Foundation
import Logging
import SQLiteFleetStore
import Testing

@testable import Collector

/// Retention as the daemon does it, with a clock of its own.
@Suite struct RetentionTests {
  private static func trace(_ run: String, on day: FleetDay) -> CountedProcess {
    let process = ObservedProcess(
      run: run, process: "0", forkedFrom: nil, root: "0", host: "host", startedAt: day.start + 100,
      seconds: 1, readyAfter: nil, losses: Losses(),
      images: [
        .init(
          build: BuildKey(buildID: BuildID("aa")!), name: "server", isExecutable: true,
          guardCount: 4)
      ],
      calls: [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 5)], callers: [])
    return CountedProcess(process)
  }

  /// A store that got a trace on each of the days 20,100 to 20,149.
  private static func store() async throws -> SQLiteFleetStore {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let store = try SQLiteFleetStore(path: directory.appending(path: "fleet.sqlite").path)
    try await store.prepare()
    for number in Int32(20_100)..<20_150 {
      let day = FleetDay(number: number)
      _ = try await store.take(
        .counting([trace("\(number)", on: day)], publisher: .test(UInt64(number))), on: day)
    }
    return store
  }

  @Test(arguments: [(20_149, 20_120), (20_150, 20_120), (20_090, 20_100), (20_550, 20_120)])
  func aPassRemovesWhatIsOldByAllClocks(today: Int, first: Int) async throws {
    let store = try await Self.store()
    let monitor = DaemonMonitor()
    let retention = Retention(
      store: store, rules: RetentionRules(days: 27, builds: nil, bytes: nil), monitor: monitor,
      logger: Logger(label: "test"), today: { FleetDay(number: Int32(today)) })
    for _ in 0..<2 {
      try await retention.pass()
      let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
      #expect(build.days == FleetDay(number: Int32(first))...FleetDay(number: 20_149))
      #expect(monitor.now.counts[.droppedDays] ?? 0 == first - 20_100)
      #expect(monitor.now.counts[.droppedSums] ?? 0 == first - 20_100)
    }
  }
}
