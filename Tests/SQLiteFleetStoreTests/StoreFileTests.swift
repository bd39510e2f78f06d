import FirstlightModel
import FleetModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import SQLiteFleetStore

/// Which files are stores, and what is left of them when something goes.
@Suite struct StoreFileTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// A profile, and a database that has no application id.
  @Test(arguments: ["profile", "database"], [false, true])
  func anotherProgramsFileIsLeftAsItIs(kind: String, isReadOnly: Bool) throws {
    let path = fixture.path
    if kind == "profile" {
      try FileManager.default.copyItem(
        atPath: Toolchain.project.appending(path: "Tests/Fixtures/profiles/sound.flp").path,
        toPath: path)
    } else {
      try fixture.execute("CREATE TABLE places (id INTEGER PRIMARY KEY)")
    }
    let before = try Data(contentsOf: URL(filePath: path))
    let failure = #expect(throws: Failure.self) {
      try SQLiteFleetStore(path: path, isReadOnly: isReadOnly)
    }
    #expect(failure?.kind == .data && failure?.problem == "\(path): not a firstlightd store")
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func readingNeedsAStoreAndMakesNone() throws {
    let missing = #expect(throws: Failure.self) {
      try SQLiteFleetStore(path: fixture.path, isReadOnly: true)
    }
    #expect(missing?.kind == .noInput)
    #expect(fixture.directory.entries.isEmpty)
    // A new store begins as an empty file; to read, it is none yet.
    try fixture.directory.write("", to: "fleet.sqlite")
    let empty = #expect(throws: Failure.self) {
      try SQLiteFleetStore(path: fixture.path, isReadOnly: true)
    }
    #expect(empty?.kind == .data)
    #expect(throws: Never.self) { try SQLiteFleetStore(path: fixture.path) }
  }

  /// A daemon that is killed within a commit leaves a journal that the next one has to roll back.
  @Test func aStoreWithAnInterruptedCommitIsOpened() async throws {
    let whole = fixture.directory.path("whole.sqlite")
    // One page in memory: the rest of a transaction is on the disk before its end.
    let queue = try DatabaseQueue(path: whole)
    try await queue.writeWithoutTransaction { database in
      try database.execute(
        sql: "CREATE TABLE grdb_migrations (identifier TEXT); PRAGMA cache_size = 1")
      try database.inTransaction {
        try database.execute(sql: "CREATE TABLE big (text TEXT)")
        for _ in 0..<100 {
          try database.execute(
            sql: "INSERT INTO big VALUES (?)", arguments: [String(repeating: "x", count: 4000)])
        }
        for end in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: whole + end, toPath: fixture.path + end)
        }
        return .rollback
      }
    }
    let failure = #expect(throws: Failure.self) {
      try SQLiteFleetStore(path: fixture.path, isReadOnly: true)
    }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.problem == "\(fixture.path): a commit was interrupted")
    _ = try await fixture.store()
    #expect(
      try fixture.texts("SELECT count(*) FROM sqlite_schema WHERE name = 'big'") == ["0"])
  }

  /// GRDB chooses less for a file with a write-ahead log.
  @Test func whatIsAcknowledgedSurvivesTheLossOfPower() async throws {
    let full = 2  // https://www.sqlite.org/pragma.html#pragma_synchronous
    let chosen = try await fixture.store().pool.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA synchronous")
    }
    #expect(chosen == full)
  }

  @Test func aFolderThatIsNotThereIsNamed() {
    let path = fixture.directory.path("nowhere/fleet.sqlite")
    let failure = #expect(throws: Failure.self) { try SQLiteFleetStore(path: path) }
    #expect(failure?.kind == .cannotCreate && failure?.problem.hasPrefix(path) == true)
  }

  /// Evidence of before there were arrivals, variants and stages.
  @Test func aStoreOfTheFirstVersionsIsReadAndBroughtUpToDate() async throws {
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
      INSERT INTO sampled_trace VALUES (8, 5, 0, x'\(bytes)');
      INSERT INTO sampled_image VALUES (5, 8);
      """)
    for isReadOnly in [true, false] {
      let store = try SQLiteFleetStore(path: fixture.path, isReadOnly: isReadOnly)
      if !isReadOnly { try await store.prepare() }
      let build = try #require(try await store.builds(BuildFilter(), page: Page()).first)
      #expect(build.key == StoreFixture.program && build.versions == ["2.1"])
      #expect(build.totals.runs == 4 && build.totals.drops == 1)
      let coverage = try #require(
        try await store.coverage(of: StoreFixture.program, in: SeriesFilter()))
      #expect(coverage.guards.count == 300)
      #expect(coverage.guards[7].runs == 3 && coverage.guards[7].hosts == 2)
      #expect(try await store.traces(of: StoreFixture.program) == [trace])
    }
    // Nothing says when it came: on its own day, as far as anybody knows.
    let store = try await fixture.store()
    let day = try #require(try await store.inventory(sizedAbove: nil).builds.first?.days.first)
    #expect(day.day == FleetDay(number: 19_000) && day.received == day.day)
    #expect(try fixture.texts("SELECT day FROM sampled_trace") == ["19000"])
    // More of the same adds up with it.
    #expect(try await store.ingest([trace], on: StoreFixture.today).added == 1)
    let coverage = try await store.coverage(of: StoreFixture.program, in: SeriesFilter())
    #expect(coverage?.guards[1].runs == 1 && coverage?.totals.runs == 5)
  }

  @Test func aNumberThatNoGuardHasIsDamageAndNoEnd() async throws {
    let store = try await fixture.store()
    _ = try await store.ingest([StoreFixture.trace("1")], on: StoreFixture.today)
    for number in ["300", "-1"] {
      try fixture.execute("UPDATE coverage SET guard = \(number)")
      let failure = await #expect(throws: Failure.self) {
        try await store.coverage(of: StoreFixture.program, in: SeriesFilter())
      }
      #expect(failure?.kind == .data && failure?.problem.hasPrefix(fixture.path) == true)
    }
  }

  @Test func nothingOfABuildOutlivesIt() async throws {
    let store = try await fixture.store()
    let both = [(key: StoreFixture.program, guards: 300), (key: StoreFixture.library, guards: 70)]
    _ = try await store.ingest([StoreFixture.trace("1", of: both)], on: StoreFixture.today)
    try await store.register(StoreFixture.table(of: StoreFixture.program, guards: 300))
    try await store.register(StoreFixture.table(of: StoreFixture.library, guards: 70))
    #expect(try fixture.texts("SELECT count(*) FROM file") == ["370"])
    try await store.note(
      ReadFailure(file: "1:2", reason: "r", attempts: 1, at: 1), of: StoreFixture.program)

    #expect(try await store.forget(StoreFixture.program, by: "user root"))
    #expect(try await !store.forget(StoreFixture.program, by: "user root"))
    let deletion = Deletion(
      .build(StoreFixture.library, program: "bb", lastReport: FleetDay(number: 30_000)),
      reason: "retain-builds=1")
    try await store.drop([deletion]) { _, _ in }
    let kept: Set = ["known_trace", "dropped", "audit", "grdb_migrations"]
    let tables = try fixture.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
    #expect(tables.count > 15)
    for table in tables where !kept.contains(table) && !table.hasPrefix("sqlite_") {
      #expect(try fixture.texts("SELECT count(*) FROM \(table)") == ["0"], "\(table)")
    }
    let notes = try fixture.texts("SELECT what FROM audit ORDER BY id")
    #expect(
      notes == [
        "forgot build aa (guards), by user root",
        "dropped bb, build id bb, last reported on \(FleetDay(number: 30_000)) by retain-builds=1",
      ])
  }

  @Test func theLastReadFailuresOfABuildAreRemembered() async throws {
    let store = try await fixture.store()
    _ = try await store.ingest([StoreFixture.trace("1")], on: StoreFixture.today)
    for number in 1...20 {
      try await store.note(
        ReadFailure(file: "1:\(number)", reason: "r", attempts: 1, at: Double(number)),
        of: StoreFixture.program)
    }
    let files = try fixture.texts("SELECT file FROM read_failure ORDER BY at")
    #expect(files == (13...20).map { "1:\($0)" })
  }

  @Test func anAnswerTakesTracesUpToItsWeightButOneAtLeast() async throws {
    let store = try await fixture.store()
    let traces = (1...5).map { StoreFixture.trace("\($0)", calls: [1, 2, 3]) }
      .sorted { $0.family < $1.family }
    _ = try await store.ingest(traces, on: StoreFixture.today)
    let weight = traces[0].answerWeight
    for (limit, count) in [(0, 1), (weight, 1), (2 * weight - 1, 1), (2 * weight, 2), (.max, 5)] {
      let found = try await store.traces(of: StoreFixture.program, upTo: limit)
      #expect(found == Array(traces.prefix(count)), "\(limit)")
    }
  }
}
