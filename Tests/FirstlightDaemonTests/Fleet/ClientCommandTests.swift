import ArgumentParser
import FirstlightModel
import TestSupport
import Testing

@testable import FirstlightDaemon

/// Commands of `firstlight` on fleets, which firstlightd's program carries out.
@Suite struct ClientCommandTests {
  private static func refusal(_ words: [String]) -> String? {
    do {
      _ = try ClientCommand.parseAsRoot(words)
      return nil
    } catch {
      return ClientCommand.message(for: error)
    }
  }

  @Test(
    arguments: [
      ("upload a.flp", "Missing expected argument '--to <url>'"),
      ("fleet forget --from sqlite:a", "Missing expected argument '--build-id <id>'"),
    ])
  func aWrongCommandLineIsRefusedWithItsReason(line: String, reason: String) throws {
    let refusal = try #require(Self.refusal(line.split(separator: " ").map(String.init)), "taken")
    #expect(refusal.contains(reason), "\(refusal)")
  }

  @Test func anUnknownCommandIsNamed() throws {
    for words in [["fleet"], ["fleet", "--help"], ["fleet", "dead"], ["upload", "xyz"], []] {
      #expect(throws: Never.self) { try ClientCommand.check(words) }
    }
    let failure = #expect(throws: Failure.self) { try ClientCommand.check(["fleet", "xyz"]) }
    #expect(failure?.kind == .usage)
    #expect(
      failure?.problem == "there is no command 'xyz'; there are builds, status, order, dead, "
        + "startups, forget")
  }

  @Test func helpSpeaksOfFirstlight() throws {
    let commands: [any ParsableCommand.Type] =
      ClientCommand.configuration.subcommands + FleetCommand.configuration.subcommands
    for command in commands {
      let help = ClientCommand.helpMessage(for: command, columns: 80)
      #expect(help.contains("USAGE: firstlight ") && !help.contains("USAGE: firstlightd"))
      for line in help.split(separator: "\n") where line.count > 80 { Issue.record("\(line)") }
    }
  }

  @Test func commandsOfAFleetHandOnWhatTheyDoNotKnow() throws {
    let dead = try #require(
      try ClientCommand.parseAsRoot(
        [
          "fleet", "dead", "--from", "sqlite:a", "--program", "server", "--version", "2.1",
          "--sort", "bytes", "--label", "region=eu", "--strict", "--path", "Sources/*",
        ]) as? FleetDeadCommand)
    #expect(dead.origin.from == "sqlite:a" && dead.choice.program == "server")
    #expect(dead.choice.programVersion == "2.1" && dead.choice.label == ["region=eu"])
    #expect(dead.options == ["--sort", "bytes", "--strict", "--path", "Sources/*"])
  }

  @Test(arguments: [["region"], ["=eu"], ["region=eu", "x"]])
  func aLabelNeedsAKey(labels: [String]) async throws {
    let command = try UploadCommand.parse(
      ["a.flp", "--to", "http://127.0.0.1:1"] + labels.flatMap { ["--label", $0] })
    let error = await #expect(throws: Failure.self) { try await command.run() }
    #expect(error?.problem == "label \"\(labels.last ?? "")\" is not KEY=VALUE")
  }

  @Test func onlyProfilesAreSent() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "notes.txt")
    for (path, problem) in [
      (directory.path("nowhere"), "no such file or directory"),
      (directory.url.path, "contains no profile (*.flp)"),
    ] {
      let command = try UploadCommand.parse([path, "--to", "http://127.0.0.1:1"])
      let failure = await #expect(throws: Failure.self) { try await command.run() }
      #expect(failure?.kind == .noInput && failure?.problem == "\(path): \(problem)")
    }
  }
}
