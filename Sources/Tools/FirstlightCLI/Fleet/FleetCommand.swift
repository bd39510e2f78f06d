import ArgumentParser
import FirstlightModel
import FleetAPI
import FleetModel

/// The `fleet` commands.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Queries a firstlightd or its store.",
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

/// The builds and runs to query.
struct FleetChoice: ParsableArguments {
  @Option(help: ArgumentHelp("Only this build, by the first digits of its id.", valueName: "id"))
  var buildID: String?

  @Option(
    help: ArgumentHelp(
      "Only builds recorded this way, where a binary was recorded in both.",
      valueName: "guards | breakpoints"))
  var recorder: String?

  @Option(help: ArgumentHelp("Only builds of this program, by file name.", valueName: "name"))
  var program: String?

  @Option(
    name: .customLong("version"),
    help: ArgumentHelp("Only runs of this version.", valueName: "v"))
  var programVersion: String?

  @Option(
    help: ArgumentHelp("Only runs with this label. Repeatable.", valueName: "k=v"))
  var label: [String] = []

  @Option(
    help: ArgumentHelp("Only runs since this day (UTC).", valueName: "yyyy-mm-dd"))
  var since: String?

  var query: FleetQuery {
    get throws(Failure) {
      let values = [
        ("build-id", buildID), ("recorder", recorder), ("program", program),
        ("version", programVersion), ("since", since),
      ]
      return try FleetQuery(
        items: values.compactMap { key, value in value.map { (key, $0) } }
          + label.map { ("label", $0) })
    }
  }
}
