import FirstlightModel
import FleetModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import SpoolIntake

/// Files that another version made, or nobody.
@Suite struct LedgerFileTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path("ledger.sqlite") }

  init() throws { directory = try TemporaryDirectory() }

  /// The tables of the first version, with a batch, a family and what its run and its host have counted.
  private func makeFirstVersion(outbox: [(traces: Int, batch: [UInt8])] = []) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations VALUES ('1');
          CREATE TABLE done (stem TEXT PRIMARY KEY) WITHOUT ROWID;
          CREATE TABLE outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT, made_at REAL NOT NULL, traces INTEGER NOT NULL,
            batch BLOB NOT NULL
          );
          CREATE TABLE run_count (
            run TEXT NOT NULL, build_id TEXT NOT NULL, recorder TEXT NOT NULL,
            guards BLOB NOT NULL, PRIMARY KEY (run, build_id, recorder)
          ) WITHOUT ROWID;
          CREATE TABLE family (
            process TEXT PRIMARY KEY, root TEXT NOT NULL, run TEXT NOT NULL, touched REAL NOT NULL
          ) WITHOUT ROWID;
          CREATE INDEX family_by_run ON family (run);
          CREATE TABLE host_count (
            labels TEXT NOT NULL, build_id TEXT NOT NULL, recorder TEXT NOT NULL,
            guards BLOB NOT NULL, PRIMARY KEY (labels, build_id, recorder)
          ) WITHOUT ROWID;
          CREATE TABLE sample_limit (
            build_id TEXT NOT NULL, recorder TEXT NOT NULL, family INTEGER NOT NULL,
            PRIMARY KEY (build_id, recorder)
          ) WITHOUT ROWID;
          INSERT INTO family VALUES ('1-1-a', '1-1-a', 'run', 1700000000);
          -- Words of 64 guards, the lowest byte first.
          INSERT INTO run_count VALUES ('run', 'aa', 'guards', x'0500000000000000');
          INSERT INTO host_count VALUES (char(10), 'aa', 'guards', x'00000000000000000100000000000080');
          """)
      for (traces, batch) in outbox {
        try database.execute(
          sql: "INSERT INTO outbox (made_at, traces, batch) VALUES (1234.5, ?, ?)",
          arguments: [traces, Data(batch)])
      }
    }
    try queue.close()
  }

  @Test func aLedgerOfTheFirstVersionKeepsWhatItHad() throws {
    try makeFirstVersion()
    let (ledger, aside) = try IntakeLedger.opened(at: path)
    #expect(aside == nil)
    let key = BuildKey(buildID: BuildID("aa")!)
    #expect(ledger.earlierOutbox == nil)
    #expect(Array(try ledger.counted(runs: ["run"])["run"]?.builds[key] ?? GuardSet()) == [0, 2])
    #expect(Array(try ledger.hostCounts().builds[key] ?? GuardSet()) == [64, 127])
    // Its age counted from 1970; now it counts from here.
    try ledger.forgetFamilies(untouchedFor: 3600, except: [])
    #expect(try ledger.members(["1-1-a"]).count == 1)
    try ledger.queue.write { try $0.execute(sql: "UPDATE uptime SET seconds = 3601") }
    try IntakeLedger(path: path).forgetFamilies(untouchedFor: 3600, except: [])
    #expect(try ledger.members(["1-1-a"]).isEmpty)
  }

  @Test func whatWaitedInAnOutboxIsAddedToTheSums() throws {
    let first = FleetBatch.encode([
      LedgerFixture.trace(1, calls: [1, 2], new: [1, 2], ordered: true), LedgerFixture.trace(2),
    ])
    let second = FleetBatch.encode([LedgerFixture.trace(3, calls: [2, 9], ordered: true)])
    var contradiction = LedgerFixture.trace(4)
    contradiction.images.append(contradiction.images[0])
    contradiction.images[1].guardCount += 1
    try makeFirstVersion(outbox: [
      (2, first), (5, Array(first.dropLast(3))), (1, [0] + second), (7, [0xc0, 0xff, 0xee]),
      (1, FleetBatch.encode([contradiction])),
    ])
    // As if compressed.
    let inflate: EarlierOutbox.Inflate = { batch in
      batch.first == 0 ? Array(batch.dropFirst()) : batch
    }
    let ledger = try IntakeLedger.opened(at: path, inflate: inflate).0
    var report = EarlierOutbox.Report()
    (report.batches, report.traces) = (2, 3)
    (report.damagedBatches, report.lostTraces) = (3, 13)
    #expect(ledger.earlierOutbox == report)
    let rows = try ledger.due(.upstream, now: LedgerFixture.noon, upTo: .max).map { try $0.state }
    #expect(rows.count == 1 && rows[0].totals.runs == 3 && rows[0].totals.hosts == 1)
    #expect(rows[0].sums.called.map { [Int($0.0), $0.1.runs] } == [[1, 2], [2, 3], [9, 1]])
    #expect(try ledger.waitingSamples(upTo: .max).count == 2)
    // Once.
    let again = try IntakeLedger.opened(at: path, inflate: inflate).0
    #expect(again.earlierOutbox == nil)
    #expect(try again.waitingSize().runs == 3)
  }

  @Test func aFileThatIsNoLedgerIsPutAsideAsItIs() throws {
    let bytes = Data(String(repeating: "no database at all\n", count: 500).utf8)
    try bytes.write(to: URL(filePath: path))
    let failure = #expect(throws: Failure.self) { try IntakeLedger(path: path) }
    #expect(failure?.kind == .data && failure?.problem.hasPrefix(path) == true)
    let (ledger, aside) = try IntakeLedger.opened(at: path)
    let kept = try #require(aside)
    #expect(kept.hasPrefix(path + ".damaged-"))
    #expect(try Data(contentsOf: URL(filePath: kept)) == bytes)
    try ledger.note("works")
    #expect(try IntakeLedger.opened(at: path).aside == nil)
  }

  /// Files of processes go as soon as the ledger has them. GRDB chooses less for a file with a write-ahead
  /// log.
  @Test func whatIsCountedSurvivesTheLossOfPower() throws {
    let full = 2  // https://www.sqlite.org/pragma.html#pragma_synchronous
    let chosen = try IntakeLedger(path: path).queue.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA synchronous")
    }
    #expect(chosen == full)
  }

  @Test func aLedgerOfANewerVersionIsNotPutAside() throws {
    try IntakeLedger(path: path).queue.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('of tomorrow')")
    }
    let failure = #expect(throws: Failure.self) { try IntakeLedger.opened(at: path) }
    #expect(failure?.problem == "\(path): this ledger was created by a newer firstlightd")
    #expect(!directory.entries.contains { $0.contains("damaged") })
  }

  @Test func aFolderWithoutALedgerGetsOneUnlessItIsNotThere() throws {
    #expect(try IntakeLedger.opened(at: path).aside == nil)
    let failure = #expect(throws: Failure.self) {
      try IntakeLedger.opened(at: directory.path("nowhere/ledger.sqlite"))
    }
    #expect(failure?.kind == .cannotCreate)
  }
}
