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
    #expect(
      failure?.kind == .data && failure?.problem == "\(path): not a store of this firstlightd")
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(arguments: [-1, 1], [false, true])
  func aStoreOfAnotherVersionIsLeftAsItIs(step: Int, isReadOnly: Bool) async throws {
    let current = Int(FleetSchema.format.version)
    let version = current + step
    _ = try await fixture.store()
    try fixture.execute("PRAGMA user_version = \(version)")
    let failure = #expect(throws: Failure.self) {
      try SQLiteFleetStore(path: fixture.path, isReadOnly: isReadOnly)
    }
    #expect(failure?.kind == .data)
    #expect(
      failure?.problem
        == "\(fixture.path): store format \(version); this firstlightd reads format \(current)")
    #expect(try fixture.texts("SELECT user_version FROM pragma_user_version") == ["\(version)"])
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
        sql: "CREATE TABLE gone (text TEXT); DROP TABLE gone; PRAGMA cache_size = 1")
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

  /// A row that nobody can have written.
  @Test func aDamagedRowIsDamageAndNoEnd() async throws {
    let store = try await fixture.store()
    _ = try await store.take(
      StoreFixture.rows([StoreFixture.trace("1")]), on: StoreFixture.today)
    let key = StateKey(
      series: SeriesKey(
        build: StoreFixture.program, day: StoreFixture.today, labels: FleetLabels()),
      guardCount: 299)
    let other = SeriesState(key: key, version: 1, name: "", isExecutable: true).encoded()
      .map { String($0, radix: 16) }.map { $0.count == 1 ? "0" + $0 : $0 }.joined()
    for bytes in ["", "00", other] {
      try fixture.execute(
        "UPDATE called SET functions = x'\(bytes)'; UPDATE state SET times = x'\(bytes)'")
      for answer in [true, false] {
        let failure = await #expect(throws: Failure.self) {
          if answer {
            _ = try await store.coverage(of: StoreFixture.program, in: FleetQuery())
          } else {
            _ = try await store.series(of: StoreFixture.program, in: FleetQuery())
          }
        }
        #expect(
          failure?.isOfDamagedStore == true && failure?.problem.hasPrefix(fixture.path) == true)
      }
      let failure = await #expect(throws: Failure.self) {
        try await store.close(before: FleetDay(number: 20_001))
      }
      #expect(failure?.isOfDamagedStore == true)
    }
  }

  @Test func nothingOfABuildOutlivesIt() async throws {
    let store = try await fixture.store()
    let both = [(key: StoreFixture.program, guards: 300), (key: StoreFixture.library, guards: 70)]
    _ = try await store.take(
      StoreFixture.rows([StoreFixture.trace("1", of: both)]), on: StoreFixture.today)
    try await store.register(
      StoreFixture.table(of: StoreFixture.program, guards: 300), proof: .sent)
    try await store.register(StoreFixture.table(of: StoreFixture.library, guards: 70), proof: .sent)
    #expect(try fixture.texts("SELECT count(*) FROM function_table") == ["2"])
    try await store.note(
      ReadFailure(file: "1:2", reason: "r", attempts: 1, at: 1), of: StoreFixture.program)

    let today = StoreFixture.today
    #expect(try await store.forget(StoreFixture.program, by: "user root", on: today))
    #expect(try await !store.forget(StoreFixture.program, by: "user root", on: today))
    let deletion = Deletion(
      .build(StoreFixture.library, program: "bb", lastReport: FleetDay(number: 30_000)),
      reason: "retain-builds=1")
    try await store.drop([deletion]) { _, _ in }
    let kept: Set = ["first_open_day", "dropped", "audit"]
    let tables = try fixture.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
    #expect(tables.count > 10)
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
    _ = try await store.take(
      StoreFixture.rows([StoreFixture.trace("1")]), on: StoreFixture.today)
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
    _ = try await store.take(StoreFixture.rows(traces), on: StoreFixture.today)
    let samples = traces.compactMap(\.sample).sorted { $0.family < $1.family }
    let weight = samples[0].answerWeight
    for (limit, count) in [(0, 1), (weight, 1), (2 * weight - 1, 1), (2 * weight, 2), (.max, 5)] {
      let found = try await store.traces(of: StoreFixture.program, upTo: limit)
      #expect(found == samples.prefix(count).map { $0 }, "\(limit)")
    }
  }
}
