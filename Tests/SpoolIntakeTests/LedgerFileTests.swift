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

  @Test(arguments: ["PRAGMA application_id = 0", "PRAGMA user_version = 1"])
  func aLedgerOfAnotherVersionIsRefusedAndNotPutAside(change: String) throws {
    try IntakeLedger(path: path).queue.writeWithoutTransaction { try $0.execute(sql: change) }
    let failure = #expect(throws: Failure.self) { try IntakeLedger.opened(at: path) }
    #expect(failure?.kind == .data && failure?.problem.hasPrefix("\(path): ") == true)
    #expect(!directory.entries.contains { $0.contains("damaged") })
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
    try ledger.add(IntakeStep())
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

  @Test func aFolderWithoutALedgerGetsOneUnlessItIsNotThere() throws {
    #expect(try IntakeLedger.opened(at: path).aside == nil)
    let failure = #expect(throws: Failure.self) {
      try IntakeLedger.opened(at: directory.path("nowhere/ledger.sqlite"))
    }
    #expect(failure?.kind == .cannotCreate)
  }
}
