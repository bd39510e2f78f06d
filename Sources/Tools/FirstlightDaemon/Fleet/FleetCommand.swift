import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import SystemSupport

/// The `fleet` commands.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Queries a firstlightd or its store.",
    usage: "firstlight fleet <subcommand> --from <url> [<options>]",
    discussion: """
        firstlight fleet builds --from https://collector.example:8443
        firstlight fleet dead --from sqlite:fleet.sqlite --program server
        firstlight fleet order --from https://collector.example:8443 \\
          --program server --version 2.1 -o server.order

      FIRSTLIGHT_TOKEN holds a token for reading, where the firstlightd requires one.
      """,
    subcommands: [
      FleetBuildsCommand.self, FleetStatusCommand.self, FleetOrderCommand.self,
      FleetDeadCommand.self, FleetStartupsCommand.self, FleetForgetCommand.self,
    ])
}

/// The firstlightd or store to query.
struct FleetOrigin: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The firstlightd to query, or the store to read.",
      valueName: "url | sqlite:PATH | clickhouse:URL"))
  var from: String

  @OptionGroup var trust: TrustOption

  func source(writes: Bool = false) throws(Failure) -> FleetSource {
    try FleetSource(from, authorities: trust.ca, writes: writes)
  }
}

/// The certificate authorities of a firstlightd.
struct TrustOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Trust these certificate authorities (PEM) instead of the system's.", valueName: "file.pem"),
    completion: .file())
  var ca: String?
}
