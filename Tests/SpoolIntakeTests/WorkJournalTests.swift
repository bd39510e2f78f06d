import FirstlightModel
import Foundation
import TestSupport
import Testing

@testable import SpoolIntake

@Suite struct WorkJournalTests {
  private let files: TemporaryDirectory
  private static let now = 1e9
  private var path: String { files.path("intake.working") }

  init() throws { files = try TemporaryDirectory() }

  private func journal(at now: Double = now, version: String = "1") throws -> WorkJournal {
    try WorkJournal(path: path, version: version, now: now)
  }

  /// Opens the journal and leaves it in the middle of something, as a daemon does that dies.
  private func die(doing work: String) throws { try journal().begin(work) }

  @Test func whatEndedTheDaemonTwiceIsPostponedForAnHour() throws {
    for isPostponed in [false, false, true] {
      #expect(try journal().isPostponed("a", at: Self.now) == isPostponed)
      try die(doing: "a")
    }
    let journal = try journal()
    #expect(journal.postponed(at: Self.now + 3599) == ["a"])
    #expect(!journal.isPostponed("b", at: Self.now))
    #expect(!journal.isPostponed("a", at: Self.now + 3600))
    // The clock was set back.
    #expect(!journal.isPostponed("a", at: Self.now - 3600))
  }

  @Test func anotherVersionTriesAgain() throws {
    for _ in 0..<2 { try die(doing: "a") }
    #expect(try !journal(version: "2").isPostponed("a", at: Self.now))
  }

  @Test func aSuccessClearsEarlierCrashes() throws {
    for _ in 0..<2 { try die(doing: "a") }
    do {
      let journal = try journal()
      journal.begin("a")
      journal.end()
    }
    #expect(try journal().postponed(at: Self.now) == [])
    try die(doing: "a")
    #expect(try journal().postponed(at: Self.now) == [])
  }

  @Test func aCrashBetweenTwoWorksIsOfNeither() throws {
    for _ in 0..<3 {
      let journal = try journal()
      journal.begin("a")
      journal.end()
    }
    #expect(try journal().postponed(at: Self.now) == [])
  }

  /// Work that a stop interrupts, and work that begins before the process ends.
  @Test func anOrderlyStopIsNoCrash() throws {
    for _ in 0..<3 {
      let journal = try journal()
      journal.begin("a")
      journal.stop()
      journal.end()
      journal.begin("b")
    }
    #expect(try journal().postponed(at: Self.now) == [])
  }

  @Test func oneDaemonHasTheJournal() throws {
    let journal = try journal()
    let failure = #expect(throws: Failure.self) { try self.journal() }
    #expect(failure?.kind == .unavailable)
    withExtendedLifetime(journal) {}
  }

  @Test func aLinkIsNotFollowed() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: files.path("target"))
    let failure = #expect(throws: Failure.self) { try journal() }
    #expect(failure?.kind == .cannotCreate)
    #expect(files.entries == ["intake.working"])
  }

  @Test func linesThatAreNoCrashesAreIgnored() throws {
    let idle = String(repeating: " ", count: 255)
    try files.write(
      "\(idle)\n1\n2 \(Self.now) a\n-2 0 b\n1001 0 c\nd\n2 x e\n2 \n", to: "intake.working")
    #expect(try journal().postponed(at: Self.now) == ["a"])
  }

  @Test func theLongestNameFits() throws {
    let name = String(repeating: "a", count: 255)
    for _ in 0..<2 { try die(doing: name) }
    #expect(try journal().postponed(at: Self.now) == [name])
  }
}
