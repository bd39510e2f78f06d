import ArgumentParser
import FleetAPI
import FleetModel
import TextFormatting

struct FleetBuildsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "builds", abstract: "Lists a fleet's builds with their runs, hosts and days.",
    usage: "firstlight fleet builds --from <url> [<options>]")

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Option(help: "Output format: text or json.") var format: TextOrJSON = .text

  func run() async throws {
    let document = try await origin.source().builds(choice.query)
    try Output.write(
      format == .json ? JSONForm.pretty(document) : FleetBuildsText.text(document), to: nil)
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
    let document = try await origin.source().startups(choice.query)
    try Output.write(
      format == .json ? JSONForm.pretty(document) : FleetStartupsText.text(document), to: nil)
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
      let size = try await store.size()
      try Output.write(
        format == .json ? JSONForm.pretty(size) : StoreSizeText.text(size), to: nil)
    case .daemon(let client):
      let status: StatusDocument = try await client.get("/v1/status")
      try Output.write(
        format == .json ? JSONForm.pretty(status) : FleetStatusText.text(status), to: nil)
    }
  }
}
