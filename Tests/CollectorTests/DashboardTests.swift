import BuildReader
import FirstlightModel
import FleetModel
import FleetTestSupport
import Foundation
import Logging
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
      versions: BuildVersions([version]), days: nil, totals: SeriesTotals())
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

  private static func row(
    day: Int32, calls: [UInt32] = [], runs: Int = 1, publisher: UInt64 = 1
  ) -> PublishedStates {
    let day = FleetDay(number: day)
    var totals = SeriesTotals()
    (totals.runs, totals.programRuns) = (runs, runs)
    let sum = GuardSum(runs: runs, hosts: 0, firstSeen: day.start, lastSeen: day.start)
    let state = SeriesState(
      key: StateKey(
        series: SeriesKey(
          build: BuildKey(buildID: BuildID("aa")!), day: day, labels: FleetLabels()),
        guardCount: 100),
      version: 1, name: "server", isExecutable: true, totals: totals,
      sums: GuardSums(
        guardCount: 100, Dictionary(uniqueKeysWithValues: calls.map { ($0, sum) })))
    return PublishedStates(publisher: .test(publisher), states: [state])
  }

  /// The page of a build with some rows.
  private func page(
    _ rows: [PublishedStates], today: Int32 = 20_000
  ) async throws -> String {
    let directory = try TemporaryDirectory()
    let store = try SQLiteFleetStore(path: directory.path("fleet.sqlite"))
    try await store.prepare()
    for row in rows { _ = try await store.take(row, on: FleetDay(number: today)) }
    let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
    return try await BuildPageFacts(of: build, in: store, FleetQuery()).page.text
  }

  /// One call of 1970, before a clock was set, and the others now.
  @Test func aChartEndsWithTheLastReport() async throws {
    let undated = Self.row(day: 0, calls: [0])
    let now = try await page([undated, Self.row(day: 20_000, calls: Array(1..<60))])
    #expect(now.contains("A line of 1 day, up to 60"))
    let since = try await page([undated, Self.row(day: 19_990, calls: Array(1..<60))])
    #expect(since.contains(">\(FleetDay(number: 19_990))</text>"))
    #expect(since.contains("A line of 1 day, up to 60"))
    let years = try await page([
      undated, Self.row(day: 10_000, calls: [1, 2]), Self.row(day: 20_000, calls: [3]),
    ])
    #expect(years.contains("A line of 3,651 days, up to 4"))
    #expect(years.contains(">\(FleetDay(number: 20_000))</text>"))
    #expect(try await page([undated]).contains("Functions called so far") == false)
  }

  /// Nothing that hosts claim ends the daemon.
  @Test func pagesStandForgedNumbers() async throws {
    let rows = (1...4 as ClosedRange<UInt64>).map { publisher in
      var row = Self.row(day: 20_000, calls: [1], runs: .max / 2, publisher: publisher)
      row.states[0].totals.seconds = 1e15
      (row.states[0].totals.drops, row.states[0].totals.lostImages) = (.max / 2, .max / 2)
      row.states[0].startups = StartupHistogram(counts: [publisher < 3 ? 0 : 1000: .max / 2])
      row.states[0].key.series.labels.version = publisher < 3 ? "1" : "2"
      return row
    }
    let page = try await page(rows)
    #expect(
      page.contains("4,611,686,018,427,387,904") || page.contains("<b>17,592,186,044,416</b>"))
    let directory = try TemporaryDirectory()
    let store = try SQLiteFleetStore(path: directory.path("fleet.sqlite"))
    try await store.prepare()
    for row in rows {
      var other = row
      other.states[0].key.series.build = BuildKey(buildID: BuildID("bb")!)
      _ = try await store.take(row, on: FleetDay(number: 20_000))
      _ = try await store.take(other, on: FleetDay(number: 20_000))
    }
    let builds = try await store.builds(FleetQuery(), page: Page())
    let list = list(builds)
    #expect(list.contains("<b>9,223,372,036,854,775,807</b><span>recorded runs</span>"))
    #expect(list.contains("<b>2</b><span>binaries</span>"))
    #expect(builds.map(BuildDocument.init).allSatisfy { $0.losses > 1 << 62 })
    #expect(
      FleetBuildsText.text(BuildsDocument(builds: builds.map(BuildDocument.init), next: nil)) != "")
    #expect(try await store.startups(of: FleetQuery()).startups.count == 4)
  }

  @Test func windowsAreCountedApartFromRuns() async throws {
    var row = Self.row(day: 20_000, calls: [1])
    (row.states[0].totals.windows, row.states[0].totals.hosts) = (1, 1)
    let window = try await page([row])
    #expect(window.contains("<li><b>1</b><span>window</span></li>"))
    #expect(!window.contains("<span>run</span>") && window.contains("<span>host</span>"))
    row.states[0].totals.runs = 4
    let both = try await page([row])
    #expect(both.contains("<li><b>3</b><span>runs</span></li><li><b>1</b><span>window</span></li>"))
    #expect(both.contains("share of runs and windows that called"))
    #expect(both.contains("of 3 runs and 1 window."))
  }

  /// Counting what a store holds reads it all.
  @Test func theFirstPageDoesNotCountTheStore() async throws {
    let status = StatusReport(
      configuration: DaemonConfiguration(), store: try await Self.store.value, ledger: nil,
      admission: .certificates, watcher: nil, monitor: DaemonMonitor())
    #expect(try await status.document(countsStore: false).builds == nil)
    #expect(try await status.document().builds == 1)
  }

  /// Most deliveries report builds that are known: these are not looked up again.
  @Test func aDeliveryLooksUpNewBuildsOnly() async throws {
    let monitor = DaemonMonitor()
    let symbolizer = Symbolizer(
      store: try await Self.store.value,
      reader: BuildReader(debugDirectories: [], memoryLimit: 1 << 30),
      debugDirectories: [], usesDebuginfod: false, monitor: monitor, logger: Logger(label: "test"))
    let (known, new) = (BuildKey(buildID: BuildID("aa")!), BuildKey(buildID: BuildID("ee")!))
    #expect(symbolizer.look(for: [known]))
    #expect(await symbolizer.nameBuilds(among: [known], retryAfter: 1))
    #expect(!symbolizer.look(for: [known]))
    #expect(symbolizer.look(for: [known, new]))
  }
}
