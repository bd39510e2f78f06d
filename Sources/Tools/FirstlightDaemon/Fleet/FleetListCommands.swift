import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import SystemSupport

/// Text for people or JSON for programs.
enum TextOrJSON: String, CaseIterable, ExpressibleByArgument {
  case text, json
}

/// Prints an answer. If a part of the store is unreachable, lists the missing data on standard error.
private func show<Answer: Encodable>(
  _ format: TextOrJSON, _ text: (Answer) -> String, _ ask: () async throws -> Answer
) async throws {
  let gaps = AnswerGaps()
  let answer = try await AnswerGaps.$current.withValue(gaps) { try await ask() }
  try Output.write(format == .json ? JSONForm.pretty(answer) : text(answer), to: nil)
  for line in gaps.lines { Terminal.report("warning: \(line)") }
}

struct FleetBuildsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "builds", abstract: "Lists a fleet's builds with their runs, hosts and days.",
    usage: "firstlight fleet builds --from <url> [<options>]")

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Option(help: "Output format: text or json.") var format: TextOrJSON = .text

  func run() async throws {
    try await show(format, FleetBuildsText.text) { try await origin.source().builds(choice.query) }
  }
}

struct FleetStartupsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "startups",
    abstract: "Shows the time to ready of programs, by version and labels.",
    usage: "firstlight fleet startups --from <url> [<options>]",
    discussion: """
      A program reports that it is ready with Firstlight.ready() or firstlight_ready(). The stages \
      (exec, loader, initializers, main) come from profiles of firstlight launch --profile that \
      firstlight upload has sent.
      """)

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Option(help: "Output format: text or json.") var format: TextOrJSON = .text

  func run() async throws {
    try await show(format, FleetStartupsText.text) {
      try await origin.source().startups(choice.query)
    }
  }
}

struct FleetStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the state of a firstlightd: running programs, queues, stores.",
    usage: "firstlight fleet status --from <url> [<options>]")

  @OptionGroup var origin: FleetOrigin
  @Option(help: "Output format: text or json.") var format: TextOrJSON = .text

  func run() async throws {
    switch try origin.source() {
    case .store(let store):
      try await show(format, StoreSizeText.text) { try await store.size() }
    case .daemon(let client):
      try await show(format, FleetStatusText.text) { try await client.get("/v1/status") }
    }
  }
}
