import FirstlightModel
import FleetModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import SQLiteFleetStore

/// Stores of before there were rows of publishers.
@Suite struct EarlierStoreTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// The file, and what it answered, are of the last firstlightd that added up traces.
  private static let stores = Toolchain.project.appending(path: "Tests/Fixtures/stores")

  private static func answers() throws -> [String] {
    try String(contentsOf: stores.appending(path: "version-6-answers.txt"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  private func copyStore() throws {
    try FileManager.default.copyItem(
      at: Self.stores.appending(path: "version-6.sqlite"), to: URL(filePath: fixture.path))
  }

  @Test func aStoreOfSumsAnswersAsBefore() async throws {
    try copyStore()
    let expected = try Self.answers()
    #expect(expected.count > 100)
    let store = try await fixture.store()
    #expect(try await StoreAnswers.lines(of: store) == expected)
    // Once more changes nothing, nor does another opening.
    try await store.prepare()
    #expect(try await StoreAnswers.lines(of: fixture.store()) == expected)
    #expect(try await store.readFailure(ofFile: "1:2")?.reason == "r")
    #expect(
      try fixture.texts("SELECT DISTINCT hex(publisher) FROM state")
        == [String(repeating: "01", count: 32)])
    #expect(
      try fixture.texts(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table'
          AND name IN ('series', 'coverage', 'startup', 'stage', 'known_trace')
        """
      ).isEmpty)
  }

  /// The days that it was filled on are known, and closing them changes no answer.
  @Test func itsDaysCanBeClosed() async throws {
    try copyStore()
    let store = try await fixture.store()
    #expect(try await store.receivedDays().map(\.number) == [20_717, 20_721])
    #expect(try await store.firstOpenDay().number == 0)
    let rows = try await store.size().rows
    #expect(rows > 20)
    #expect(try await store.close(before: FleetDay(number: 21_000)) > 3)
    #expect(try await StoreAnswers.lines(of: store) == Self.answers())
    #expect(try await store.size().rows == rows)
    #expect(try await store.receivedDays().isEmpty)
  }

  /// What comes later adds up with it.
  @Test func hostsAddToIt() async throws {
    try copyStore()
    let store = try await fixture.store()
    let build = try #require(
      try await store.builds(BuildFilter(buildID: "aa"), page: Page()).first)
    let trace = StoreFixture.trace("new", of: [(build.key, 120)], on: FleetDay(number: 20_717))
    let before = try #require(try await store.coverage(of: build.key, in: SeriesFilter()))
    for added in [1, 0] {
      let receipt = try await store.take(StoreFixture.rows([trace]), on: FleetDay(number: 20_722))
      #expect(receipt.added == added && receipt.samples == added)
    }
    let after = try #require(try await store.coverage(of: build.key, in: SeriesFilter()))
    #expect(after.totals.runs == before.totals.runs + 1)
    #expect(after.guards[1].runs == before.guards[1].runs + 1)
    #expect(after.guards[2] == before.guards[2])
  }

  /// Where it fails, all is as it was.
  @Test func aStoreIsMovedWholeOrNotAtAll() async throws {
    try copyStore()
    // In the last series, when others were moved.
    try fixture.execute(
      """
      UPDATE coverage SET guard = 900 WHERE (series, guard) =
        (SELECT series, guard FROM coverage ORDER BY series DESC, guard LIMIT 1)
      """)
    let store = try SQLiteFleetStore(path: fixture.path)
    for _ in 0..<2 {
      let failure = await #expect(throws: Failure.self) { try await store.prepare() }
      #expect(failure?.isOfDamagedStore == true && failure?.problem.contains("guard 900") == true)
      #expect(try fixture.texts("SELECT count(*) FROM series") == ["31"])
      #expect(
        try fixture.texts("SELECT count(*) FROM sqlite_schema WHERE name IN ('state', 'called')")
          == ["0"])
    }
    try fixture.execute("UPDATE coverage SET guard = 0 WHERE guard = 900")
    try await store.prepare()
    #expect(try await StoreAnswers.lines(of: store) == Self.answers())
  }

  @Test func whoOnlyReadsIsToldToStartADaemon() throws {
    try copyStore()
    let before = try Data(contentsOf: URL(filePath: fixture.path))
    let failure = #expect(throws: Failure.self) {
      try SQLiteFleetStore(path: fixture.path, isReadOnly: true)
    }
    #expect(failure?.kind == .data)
    #expect(
      failure?.problem == "\(fixture.path): this store was created by an older firstlightd")
    #expect(failure?.advice == "start firstlightd with it once, which brings it up to date")
    #expect(try Data(contentsOf: URL(filePath: fixture.path)) == before)
  }

  /// Evidence of before there were arrivals, variants and stages; a trace that is there twice since the store
  /// had forgotten that it had it.
  @Test func aStoreOfTheFirstVersionsIsBroughtUpToDate() async throws {
    let trace = StoreFixture.trace("1", on: FleetDay(number: 19_000))
    let bytes = FleetBatch.encode([trace]).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
    let old = try SQLiteFleetStore(path: fixture.path)
    try FleetSchema.migrator.migrate(old.pool, upTo: "3")
    try fixture.execute(
      """
      INSERT INTO build VALUES
        (5, 'aa', 'guards', 'server', '/opt/app/server', 1, 300, NULL, NULL, NULL, NULL);
      INSERT INTO series VALUES (6, 5, 19000, '2.1', 'region=eu', 4, 2, 4, 4, 9.5, 1, 0, 0, 0);
      INSERT INTO coverage VALUES (6, 7, 3, 2, 1641600100, 1641600200);
      INSERT INTO known_trace VALUES (1, 2, 19000);
      INSERT INTO sampled_trace VALUES (8, 5, 0, x'\(bytes)'), (9, 5, 0, x'\(bytes)');
      INSERT INTO sampled_image VALUES (5, 8), (5, 9);
      """)
    let store = try await fixture.store()
    let build = try #require(try await store.builds(BuildFilter(), page: Page()).first)
    #expect(build.key == StoreFixture.program && build.versions == ["2.1"])
    #expect(build.totals.runs == 4 && build.totals.drops == 1)
    let coverage = try #require(
      try await store.coverage(of: StoreFixture.program, in: SeriesFilter()))
    #expect(coverage.guards.count == 300)
    #expect(
      coverage.guards[7]
        == GuardSum(runs: 3, hosts: 2, firstSeen: 1_641_600_000, lastSeen: 1_641_600_000))
    #expect(try await store.traces(of: StoreFixture.program) == [trace.asSample()])
    // Nothing says when it came: on its own day, as far as anybody knows.
    let day = try #require(try await store.inventory(sizedAbove: nil).builds.first?.days.first)
    #expect(day.day == FleetDay(number: 19_000) && day.received == day.day)
    #expect(try fixture.texts("SELECT day FROM sampled_trace") == ["19000"])
    #expect(throws: Never.self) { try SQLiteFleetStore(path: fixture.path, isReadOnly: true) }
  }
}
