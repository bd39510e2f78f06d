import FirstlightModel
import FleetModel
import FleetTestSupport
import Foundation
import Testing

/// What every store removes, and what it says of it.
@Suite(.serialized) struct RetentionTests {
  private static let key = ExampleFleet.key(ExampleFleet.program)
  private static let other = BuildKey(buildID: BuildID("c2")!)

  private static func day(_ number: Int) -> FleetDay { FleetDay(number: Int32(number)) }

  /// A trace of a run of its own that began on a day.
  private static func trace(
    _ run: String, of build: BuildKey = key, on day: Int, calls: [UInt32] = [1],
    guards: Int = 300
  ) -> CountedProcess {
    var process = ObservedProcess(
      run: run, process: "0", forkedFrom: nil, root: "0", host: "host \(run)",
      startedAt: Self.day(day).start + 100, seconds: 1, readyAfter: 0.2, losses: Losses(),
      images: [
        .init(build: build, name: "/opt/app/bin/server", isExecutable: true, guardCount: guards)
      ],
      calls: calls.map { RecordedCall(build: 0, guardIndex: $0, thread: 1, time: 5) }, callers: [])
    process.stages = [.exec: 0.001]
    return CountedProcess(process)
  }

  private func dropped(
    _ deletions: [Deletion], from store: any FleetStore
  ) async throws -> [DeletedRows] {
    let reports = Reports()
    try await store.drop(deletions) { _, rows in reports.add(rows) }
    return reports.rows
  }

  /// What a store reports, from whichever task.
  private final class Reports: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [DeletedRows] = []
    var rows: [DeletedRows] { lock.withLock { all } }
    func add(_ rows: DeletedRows) { lock.withLock { all.append(rows) } }
  }

  @Test(arguments: StoreKind.available)
  func theInventoryTellsWhenEvidenceCame(kind: StoreKind) async throws {
    let store = try await kind.make()
    #expect(try await store.inventory(sizedAbove: nil).builds.isEmpty)
    _ = try await store.take([Self.trace("1", on: 19_900)], on: Self.day(20_000))
    _ = try await store.take(
      [Self.trace("2", on: 19_900), Self.trace("3", on: 19_999, calls: [1, 2, 3])],
      on: Self.day(20_003))
    // One that comes again does not make it younger.
    _ = try await store.take([Self.trace("1", on: 19_900)], on: Self.day(20_009))
    _ = try await store.take(
      [Self.trace("4", of: Self.other, on: 20_002)], on: Self.day(20_001))
    let inventory = try await store.inventory(sizedAbove: 0)
    let builds = inventory.builds.sorted { $0.key < $1.key }
    #expect(builds.map(\.key) == [Self.key, Self.other])
    #expect(builds.map(\.program) == ["server", "server"])
    #expect(builds.map(\.lastReport) == [Self.day(20_003), Self.day(20_001)])
    let days = builds[0].days.sorted { $0.day < $1.day }
    #expect(days.map(\.day) == [Self.day(19_900), Self.day(19_999)])
    #expect(days.map(\.received) == [Self.day(20_003), Self.day(20_003)])
    #expect(inventory.bytes > 0 && days.allSatisfy { $0.bytes > 0 })
    let unsized = try await store.inventory(sizedAbove: .max).builds
    #expect(unsized.allSatisfy { $0.bytes == 0 })
  }

  @Test(arguments: StoreKind.available)
  func functionsWithoutReportsCountFromWhenTheyCame(kind: StoreKind) async throws {
    let store = try await kind.make()
    let before = FleetDay(of: Date().timeIntervalSince1970)
    try await store.register(FunctionTable(build: ExampleFleet.program, bodies: []))
    let build = try #require(try await store.inventory(sizedAbove: 0).builds.first)
    let after = FleetDay(of: Date().timeIntervalSince1970)
    #expect((before...after).contains(build.lastReport))
    #expect(build.functionBytes > 0 && build.days.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func oldDaysGoWithAllTheyHave(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take(
      [Self.trace("1", on: 19_000, calls: [1, 2]), Self.trace("2", of: Self.other, on: 19_000)],
      on: Self.day(19_000))
    _ = try await store.take(
      [Self.trace("3", on: 19_001, calls: [2, 3]), Self.trace("4", of: Self.other, on: 19_000)],
      on: Self.day(19_500))
    let deletion = Deletion(.days(before: Self.day(19_400)), reason: "retain-days=9")
    let rows = try await dropped([deletion], from: store)
    #expect(rows.map(\.days) == [1])
    #expect(rows.map(\.sums) == [2])
    #expect(rows.map(\.sampledTraces) == [1])
    let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
    #expect(coverage.guards[1...3].map(\.runs) == [0, 1, 1])
    #expect(coverage.totals.runs == 1 && coverage.totals.programRuns == 1)
    let series = try await store.series(of: Self.key, in: FleetQuery())
    #expect(series.map(\.day) == [Self.day(19_001)])
    #expect(series.map { $0.startups.total + $0.stages.total(.exec) } == [2])
    #expect(try await store.traces(of: Self.key).map(\.run) == ["3"])
    // Something came for the other's day later.
    #expect(
      try await store.coverage(of: Self.other, in: FleetQuery())?.guards[1].runs == 2)
    let builds = try await store.builds(FleetQuery(), page: Page())
    #expect(
      builds.map(\.dropped) == [
        DroppedEvidence(
          build: Self.key, program: "server", before: Self.day(19_400), reason: "retain-days=9"),
        nil,
      ])
    #expect(try await dropped([deletion], from: store).isEmpty)
    #expect(try await store.droppedBuilds(limit: 5).isEmpty)
  }

  /// Rows of days that were dropped are refused, with the reason.
  @Test(arguments: StoreKind.available)
  func whatWasDroppedDoesNotComeBack(kind: StoreKind) async throws {
    let store = try await kind.make()
    let trace = Self.trace("1", on: 19_000)
    _ = try await store.take([trace], on: Self.day(19_000))
    let deletion = Deletion(.days(before: Self.day(19_400)), reason: "retain-days=9")
    #expect(try await dropped([deletion], from: store).map(\.sums) == [1])
    let again = try await store.take([trace], on: Self.day(19_450))
    #expect(again.added == 0 && again.samples == 0)
    #expect(
      again.refusals.values.map(\.reason)
        == ["build aaaa was dropped up to \(Self.day(19_400)) by retain-days=9"])
    #expect(try await store.size().rows == 0)
    #expect(try await store.traces(of: Self.key).isEmpty)
    #expect(try await store.take([Self.trace("2", on: 19_400)], on: Self.day(19_450)).added == 1)
    #expect(try await dropped([deletion], from: store).isEmpty)
    let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
    #expect(build.dropped?.before == Self.day(19_400) && build.totals.runs == 1)
    let later = Deletion(.days(before: Self.day(19_451)), reason: "retain-days=9")
    #expect(try await dropped([later], from: store).map(\.sums) == [1])
  }

  /// The day of what ran before a clock was set never ends: one more report a day must not keep all others.
  @Test(arguments: StoreKind.available)
  func undatedRowsAgeOneByOne(kind: StoreKind) async throws {
    let store = try await kind.make()
    for (run, received) in [("1", 19_000), ("2", 19_001), ("3", 19_500)] {
      _ = try await store.take(
        [Self.trace(run, on: 0, calls: [UInt32(run)!])], on: Self.day(received))
    }
    let days = try await store.inventory(sizedAbove: 0).builds.flatMap(\.days)
    #expect(days.allSatisfy { $0.day == .undated })
    #expect(days.map(\.received).sorted() == [19_000, 19_001, 19_500].map(Self.day))
    #expect(days.reduce(0) { $0 + $1.bytes } > 0)
    let rules = RetentionRules(days: 100, builds: nil, bytes: nil)
    let deletions = rules.deletions(
      from: try await store.inventory(sizedAbove: nil), today: Self.day(19_501))
    let rows = try await dropped(deletions, from: store)
    #expect(rows.map(\.sums) == [2])
    let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
    #expect(coverage.totals.runs == 1 && coverage.guards[1...3].map(\.runs) == [0, 0, 1])
    #expect(try await store.inventory(sizedAbove: nil).builds.flatMap(\.days).count == 1)
    #expect(try await dropped(deletions, from: store).isEmpty)
    // What is new is taken as before.
    #expect(try await store.take([Self.trace("4", on: 0)], on: Self.day(19_502)).added == 1)
  }

  /// Sums of closed days are as old as the last that came for them.
  @Test(arguments: StoreKind.available)
  func closedDaysGoLikeOthers(kind: StoreKind) async throws {
    let store = try await kind.make()
    for (run, received) in [("1", 19_001), ("2", 19_005), ("3", 19_002)] {
      _ = try await store.take([Self.trace(run, on: 19_000)], on: Self.day(received))
    }
    #expect(try await store.close(before: Self.day(19_010)) == 1)
    let days = try await store.inventory(sizedAbove: nil).builds.flatMap(\.days)
    #expect(days.map(\.received) == [Self.day(19_005)])
    for (cutoff, count) in [(19_005, 0), (19_006, 1)] {
      let deletion = Deletion(.days(before: Self.day(cutoff)), reason: "retain-days=9")
      #expect(try await dropped([deletion], from: store).map(\.days).reduce(0, +) == count)
    }
    #expect(try await store.size().rows == 0)
  }

  @Test(arguments: StoreKind.available)
  func removedBuildsAreListed(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take(
      [Self.trace("1", on: 19_000), Self.trace("2", of: Self.other, on: 19_000)],
      on: Self.day(19_000))
    try await store.register(FunctionTable(build: ExampleFleet.program, bodies: []))
    let known = try await store.inventory(sizedAbove: nil).builds.first { $0.key == Self.key }
    let last = try #require(known).lastReport
    let deletion = Deletion(
      .build(Self.key, program: "server", lastReport: last), reason: "retain-builds=1")
    let rows = try await dropped([deletion, deletion], from: store)
    #expect(rows.map { [$0.builds, $0.days, $0.sums, $0.sampledTraces] } == [[1, 1, 1, 1]])
    #expect(try await store.builds(FleetQuery(), page: Page()).map(\.key) == [Self.other])
    #expect(try await store.functionTable(of: Self.key) == nil)
    #expect(try await store.inventory(sizedAbove: nil).builds.map(\.key) == [Self.other])
    let gone = DroppedEvidence(
      build: Self.key, program: "server", before: FleetDay(number: last.number + 1),
      reason: "retain-builds=1")
    #expect(try await store.droppedBuilds(limit: 5) == [gone])
    // Should it report again, its counts are of later days only.
    _ = try await store.take([Self.trace("3", on: Int(last.number) + 1)], on: gone.before)
    let back = try #require(
      try await store.builds(FleetQuery(buildID: "aaaa"), page: Page()).first)
    #expect(back.dropped == gone && back.totals.runs == 1)
    #expect(try await store.droppedBuilds(limit: 5).isEmpty)
    let profile = try await store.profile(of: FleetQuery(buildID: "aaaa"))
    #expect(
      profile.unlisted.problems.keys.map(\.text).filter { !$0.contains("no names yet") }
        == ["server (aaaa): before \(gone.before) dropped by retain-builds=1"])
    var later = FleetQuery()
    later.days = gone.before...FleetDay(number: gone.before.number + 9)
    #expect(
      try await store.profile(of: later).unlisted.problems.keys.map(\.text)
        .allSatisfy { $0.contains("no names yet") })
  }

  /// Between the look at a store and the deletion a build may report.
  @Test(arguments: StoreKind.available)
  func aBuildThatReportsMeanwhileStays(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take([Self.trace("1", on: 19_000)], on: Self.day(19_000))
    let build = Deletion(
      .build(Self.key, program: "server", lastReport: Self.day(19_000)), reason: "retain-builds=1")
    let days = Deletion(.days(before: Self.day(19_001)), reason: "retain-days=1")
    _ = try await store.take([Self.trace("2", on: 19_000)], on: Self.day(19_001))
    #expect(try await dropped([days, build], from: store).isEmpty)
    let coverage = try await store.coverage(of: Self.key, in: FleetQuery())
    #expect(coverage?.guards[1].runs == 2)
    #expect(try await store.builds(FleetQuery(), page: Page()).map(\.dropped) == [nil])
  }

  @Test func aSQLiteFileShrinks() async throws {
    let store = try await StoreKind.sqlite.make()
    let path = String(store.name.dropFirst(7))
    func size() throws -> Int {
      try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }
    for day in 19_000..<19_040 {
      let calls = (0..<10_000).map(UInt32.init)
      _ = try await store.take(
        [Self.trace("\(day)", on: day, calls: calls, guards: 10_000)], on: Self.day(day))
    }
    let before = try await store.inventory(sizedAbove: 0)
    let estimate = before.builds.reduce(0) { $0 + $1.bytes }
    #expect(before.bytes / 2 < estimate && estimate < before.bytes * 2)
    let rules = RetentionRules(days: nil, builds: nil, bytes: before.bytes / 2)
    // As sizes are estimates, it takes several turns.
    var inventory = before
    while case let deletions = rules.deletions(from: inventory, today: Self.day(19_060)),
      !deletions.isEmpty
    {
      #expect(try await !dropped(deletions, from: store).isEmpty)
      inventory = try await store.inventory(sizedAbove: rules.bytes)
    }
    #expect(inventory.bytes <= before.bytes / 2 && inventory.bytes > before.bytes / 4)
    #expect(try size() <= inventory.bytes)
    let days = try await store.builds(FleetQuery(), page: Page())[0].days
    #expect(days?.upperBound == Self.day(19_039))
  }
}
