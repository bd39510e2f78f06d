import FirstlightModel
import FleetModel
import Foundation
import TestSupport
import Testing

@testable import Collector

/// Line ends and marks in what users and hosts write.
@Suite struct ForeignTextTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func configuration(_ file: String) throws -> DaemonConfiguration {
    let path = try directory.write(file, to: "firstlightd.conf")
    return try SettingSources(options: [:], environment: [:], file: path).configuration()
  }

  /// A setting that a comment swallows may be the token file.
  @Test(arguments: ["\n", "\r\n"]) func settingsEndWithTheirLine(end: String) throws {
    let lines = ["# Firstlight", "user-files = 7 # a comment", "token-file = /t", ""]
    let result = try configuration(lines.joined(separator: end))
    #expect(result.tokenFile == "/t" && result.intake.userFiles == 7)
  }

  @Test func otherLineEndsAreRefused() throws {
    let failure = #expect(throws: Failure.self) {
      try configuration("# Firstlight\rtoken-file = /t\r")
    }
    #expect(failure?.kind == .usage && failure?.problem.contains(":1: ") == true)
  }

  @Test func tokensEndWithTheirLine() throws {
    let file = TokenFile(path: directory.path("tokens"))
    let tokens = try ["a", "b \u{301}", "c"].map { try file.add(role: .read, name: $0).0 }
    let text = try file.text()
    let (entries, mistake) = file.entries(in: text.replacingOccurrences(of: "\n", with: "\r\n"))
    #expect(mistake == nil && entries.map(\.hash) == tokens.map(TokenFile.hash))
    // A name swallows no other entry.
    let (some, wrong) = file.entries(in: text.replacingOccurrences(of: "\n", with: "\r"))
    #expect(some.isEmpty && wrong?.kind == .data)
    #expect(throws: Failure.self) { try file.add(role: .read, name: "a\rb") }
  }

  /// A combining mark at the head of a name joins the blank before it.
  @Test(arguments: ["server", "\u{301}0001", "\u{600} a", ""])
  func positionsInTheListAreRead(program: String) throws {
    let position = try QueryRoutes.position("aaaa guards \(program)")
    #expect(Array(position.program.utf8) == Array(program.utf8))
  }
}
