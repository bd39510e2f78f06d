import FirstlightModel
import Foundation
import TestSupport
import Testing

@testable import SpoolIntake

@Suite struct WorkJournalTests {
  private let files: TemporaryDirectory
  private var path: String { files.path("intake.working") }

  init() throws { files = try TemporaryDirectory() }

  /// Opens the journal and leaves it in the middle of something, as a daemon does that dies.
  /// - Returns: whether the journal lets it begin.
  private func die(doing work: String) throws -> Bool { try WorkJournal(path: path).begin(work) }

  @Test func whatEndedTheDaemonTwiceIsNotBegunAgain() throws {
    #expect(try die(doing: "a"))
    #expect(try die(doing: "a"))
    for _ in 0..<3 { #expect(try !die(doing: "a")) }
    #expect(try die(doing: "b"))
  }

  @Test func aSuccessClearsEarlierDeaths() throws {
    #expect(try die(doing: "a"))
    let journal = try WorkJournal(path: path)
    #expect(journal.begin("a"))
    journal.end()
    #expect(journal.begin("a"))
    journal.end()
    withExtendedLifetime(journal) {}
  }

  @Test func aDeathBetweenTwoWorksIsNobodys() throws {
    for _ in 0..<3 {
      let journal = try WorkJournal(path: path)
      #expect(journal.begin("a"))
      journal.end()
    }
  }

  @Test func forgottenWorkIsBegunAgain() throws {
    for _ in 0..<2 { _ = try die(doing: "a") }
    let journal = try WorkJournal(path: path)
    #expect(!journal.begin("a"))
    journal.forget("a")
    #expect(journal.begin("a"))
  }

  @Test func oneDaemonHasTheJournal() throws {
    let journal = try WorkJournal(path: path)
    let failure = #expect(throws: Failure.self) { try WorkJournal(path: path) }
    #expect(failure?.kind == .unavailable)
    withExtendedLifetime(journal) {}
  }

  @Test func aLinkIsNotFollowed() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: files.path("target"))
    let failure = #expect(throws: Failure.self) { try WorkJournal(path: path) }
    #expect(failure?.kind == .cannotCreate)
    #expect(files.entries == ["intake.working"])
  }

  @Test func linesThatAreNoDeathsAreIgnored() throws {
    let idle = String(repeating: " ", count: 255)
    try files.write("\(idle)\n2 a\n-2 b\n1001 c\nd\n2 \n", to: "intake.working")
    let journal = try WorkJournal(path: path)
    #expect(["a", "b", "c", "d"].map(journal.begin) == [false, true, true, true])
  }

  /// Any of them may have ended the daemon: each is to be done alone then, and who does not end it is cleared.
  @Test func severalThingsAtOnceAreAllSuspects() throws {
    do {
      let journal = try WorkJournal(path: path)
      #expect(["a", "b", "c"].allSatisfy(journal.begin))
      #expect(!journal.isSuspect("a"))
      journal.end("b")
    }
    do {
      let journal = try WorkJournal(path: path)
      #expect(["a", "b", "c"].map(journal.isSuspect) == [true, false, true])
      #expect(journal.begin("a"))
      journal.end("a")
      #expect(!journal.isSuspect("a"))
      #expect(journal.begin("c"))
    }
    let journal = try WorkJournal(path: path)
    #expect(["a", "b", "c"].map(journal.begin) == [true, true, false])
  }

  @Test func allPlacesFitInTheFile() throws {
    let works = (0..<100).map { "publisher-\(String(repeating: "0", count: 32))\($0)" }
    do {
      let journal = try WorkJournal(path: path, places: works.count)
      #expect(works.allSatisfy(journal.begin))
    }
    let journal = try WorkJournal(path: path)
    #expect(works.allSatisfy(journal.isSuspect))
  }

  /// Two batches of one publisher.
  @Test func whatIsDoneTwiceAtOnceDiesOnce() throws {
    do {
      let journal = try WorkJournal(path: path)
      #expect(journal.begin("a") && journal.begin("a"))
    }
    let journal = try WorkJournal(path: path)
    #expect(journal.isSuspect("a") && journal.begin("a"))
  }
}
