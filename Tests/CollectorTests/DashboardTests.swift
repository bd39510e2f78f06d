import FirstlightModel
import FleetModel
import FleetTestSupport
import Foundation
import SQLiteFleetStore
import TestSupport
import Testing

@testable import Collector

/// Pages of the daemon, with names that hosts have sent.
@Suite struct DashboardTests {
  /// A quotation mark and the accent behind it are one character.
  private static let hostile = "\"\u{301}><script src=x>&amp;'"
  private static let escaped = "&quot;\u{301}&gt;&lt;script src=x&gt;&amp;amp;&#39;"

  private static func trace(of program: String) -> CountedProcess {
    let process = ObservedProcess(
      run: "1", process: "0", forkedFrom: nil, root: "0", host: "host", startedAt: 20_000 * 86400,
      seconds: 1, readyAfter: nil, losses: Losses(),
      images: [
        .init(
          build: BuildKey(buildID: BuildID("aa")!), name: program, isExecutable: true,
          guardCount: 4)
      ],
      calls: [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 5)], callers: [])
    return CountedProcess(process)
  }

  private static let store: Task<SQLiteFleetStore, any Error> = Task {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let store = try SQLiteFleetStore(path: directory.appending(path: "fleet.sqlite").path)
    try await store.prepare()
    _ = try await store.take(
      .counting([trace(of: hostile)]), on: FleetDay(number: 20_000))
    return store
  }

  private func list(_ builds: [FleetBuild], _ filter: FleetQuery = FleetQuery()) -> String {
    let status = StatusDocument(
      version: "1", startedAt: 0, spool: nil, sink: "sqlite:<x>", sinkReachable: true,
      intakeProblem: nil, outboxTraces: 0, outboxBytes: 0, outboxOldestSeconds: nil, counts: [:],
      running: [])
    return BuildListPage(builds: builds, dropped: [], filter: filter, status: status).text
  }

  @Test func aPageSaysWhatItLacks() throws {
    let gaps = AnswerGaps()
    for _ in 0..<2 { gaps.note("shard 1 of <x> is away") }
    let page = AnswerGaps.$current.withValue(gaps) { list([]) }
    #expect(page.ranges(of: "<strong>shard 1 of &lt;x&gt; is away</strong>").count == 1)
    #expect(!list([]).contains("<strong>"))
  }

  @Test func theListEscapesWhatHostsAndQueriesSay() async throws {
    let builds = try await Self.store.value.builds(FleetQuery(), page: Page())
    let page = list(builds, FleetQuery(program: Self.hostile))
    #expect(builds.count == 1)
    #expect(!page.contains("<script"))
    #expect(page.contains("<a href=\"/builds/aa\">\(Self.escaped)</a>"))
    #expect(page.contains("<input name=\"program\" value=\"\(Self.escaped)\">"))
    #expect(page.contains("store sqlite:&lt;x&gt;"))
  }

  @Test func aListOfNothingSaysHowToFillIt() {
    let page = list([])
    #expect(page.contains("<p>No matching builds."))
    #expect(!page.contains("<table>"))
  }

  @Test func aBuildsPageShowsWhatIsKnown() async throws {
    let store = try await Self.store.value
    let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
    let page = try await BuildPageFacts(of: build, in: store, FleetQuery()).page.text
    #expect(!page.contains("<script"))
    #expect(page.contains("<title>\(Self.escaped) - Firstlight</title>"))
    #expect(page.contains("<h1>\(Self.escaped)</h1>\n<p class=\"small\">build id aa</p>\n"))
    #expect(page.contains("<li><b>1</b><span>of 4 functions called</span></li>"))
    #expect(page.contains("<p>No function names yet. Send the binary: <code>"))
    #expect(!page.contains("Order for lld"))
    // Two charts: a point for the one day, and a bar for each share of runs.
    #expect(page.components(separatedBy: "<svg ").count == 3)
    #expect(page.contains("<circle class=\"dot\""))
    #expect(page.components(separatedBy: "<rect class=\"bar\"").count == 12)
    #expect(page.contains("<title>never: 3</title>") && page.contains("<title>100%: 1</title>"))
  }

  /// A row of start-up times with p90 in milliseconds.
  private static func startup(
    _ version: String, _ region: String, day: Int32, milliseconds: Double, starts: Int = 100
  ) throws -> StartupsDocument.Row {
    let build = FleetBuild(
      key: BuildKey(buildID: try #require(BuildID("0\(version)"))),
      names: ImageNames("server", runs: 1), isExecutable: true, guardCount: 4, hasFunctions: false,
      versions: [version], days: nil, totals: SeriesTotals())
    let labels = try FleetLabels(["version": version, "region": region])
    let bucket = StartupHistogram.bucket(of: milliseconds / 1000)
    let day = FleetDay(number: day)
    var sums = StartupsDocument.Sums(days: day...day)
    sums.add(
      SeriesRecord(
        day: day, labels: labels, totals: SeriesTotals(),
        startups: StartupHistogram(counts: [bucket: starts])))
    return StartupsDocument.Row(build: build, labels: labels, sums: sums)
  }

  @Test func startUpTimesAreSetAgainstTheVersionBeforeWithTheSameLabels() throws {
    let rows = [
      try Self.startup("3", "eu", day: 30, milliseconds: 50),
      try Self.startup("1", "eu", day: 10, milliseconds: 100),
      try Self.startup("2", "us", day: 20, milliseconds: 300),
      try Self.startup("2", "eu", day: 20, milliseconds: 200),
      try Self.startup("4", "eu", day: 30, milliseconds: 200, starts: 3),
      try Self.startup("3", "us", day: 20, milliseconds: 300),
    ]
    #expect(
      StartupChange.changes(rows).map(\.text) == [
        "p90 74% faster", "", "", "p90 98% slower", "too few starts", "no difference beyond 20%",
      ])
  }

  /// Each row is as if of a region of its own.
  @Test func aPageHasTheRowsWithMostStartsAndSaysWhatItLeavesOut() async throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteFleetStore(path: directory.path("fleet.sqlite"))
    try await store.prepare()
    let rows = try (0..<SeriesRoom.limit).map { number in
      var totals = SeriesTotals()
      totals.runs = 1
      return SeriesState(
        key: StateKey(
          series: SeriesKey(
            build: BuildKey(buildID: BuildID("aa")!), day: FleetDay(number: 20_000),
            labels: try FleetLabels(["region": "r\(number)"])), guardCount: 4),
        version: 1, name: "server", isExecutable: true, totals: totals,
        startups: StartupHistogram(counts: [90: number + 1]))
    }
    _ = try await store.take(
      PublishedStates(publisher: .test(1), states: rows), on: FleetDay(number: 20_000))
    let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
    let page = try await BuildPageFacts(of: build, in: store, FleetQuery()).page.text
    #expect(page.components(separatedBy: "region=r").count == 101)
    #expect(page.contains("region=r255<") && !page.contains("region=r100<"))
    #expect(page.contains("The 100 of 256 rows with most starts"))
    #expect(page.contains("<strong>2024-10-04 has 256 sets of labels, the most that are kept"))
  }
}
