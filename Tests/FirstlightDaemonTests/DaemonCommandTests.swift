import Collector
import FirstlightModel
import Foundation
import TestSupport
import Testing

@testable import FirstlightDaemon

@Suite struct DaemonCommandTests {
  @Test func runningIsWhatItDoesWithoutASubcommand() throws {
    let run = try #require(
      try DaemonCommand.parseAsRoot(["--spool", "/var/spool/firstlight"]) as? RunCommand)
    #expect(run.given == ["spool": "/var/spool/firstlight"])
    #expect(try DaemonCommand.parseAsRoot(["run"]) is RunCommand)
    #expect(
      try DaemonCommand.parseAsRoot(["token", "list", "--file", "tokens"]) is TokenCommand.List)
    let ready = try DaemonCommand.parseAsRoot(["ready", "http://127.0.0.1:1"])
    #expect((ready as? ReadyCommand)?.url == "http://127.0.0.1:1")
  }

  @Test func aTokenHasARoleThatThereIs() throws {
    for role in TokenRole.allCases {
      let command = try TokenCommand.Add.parse(["--file", "tokens", "--role", role.rawValue])
      #expect(command.role == role && command.name == "")
    }
    for words in [["--role", "root"], ["--role", "Read"], []] {
      #expect(throws: (any Error).self) {
        try TokenCommand.Add.parse(["--file", "tokens"] + words)
      }
    }
  }

  @Test func aRevokedTokenIsGone() throws {
    let directory = try TemporaryDirectory()
    let file = TokenFile(path: directory.path("tokens"))
    let (first, second) = (
      try file.add(role: .read, name: "dashboard").1, try file.add(role: .upload, name: "CI").1
    )
    try TokenCommand.Revoke.parse(["--file", file.path, first.id]).run()
    #expect(try file.entries().map(\.id) == [second.id])
    let failure = #expect(throws: Failure.self) {
      try TokenCommand.Revoke.parse(["--file", file.path, first.id]).run()
    }
    #expect(failure?.kind == .data)
  }

  @Test func helpNamesOptionsAndExitCodesThatThereAre() throws {
    let usage = DaemonCommand.configuration.usage ?? ""
    let help = RunCommand.helpMessage() + TokenCommand.Revoke.helpMessage()
    for match in usage.matches(of: /--[a-z-]+/) {
      #expect(help.contains("  \(match.0) "), "\(match.0)")
    }
    let codes = DaemonCommand.configuration.discussion.matches(of: /(?m)^\s+(\d+)\s/)
    #expect(codes.count > 5)
    for code in codes.compactMap({ Int32($0.1) }) where code != 0 {
      #expect(Failure.Kind(rawValue: code) != nil, "\(code)")
    }
  }
}
