import ArgumentParser
import FirstlightModel
import FleetAccess

/// Questions to a fleet.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Queries a firstlightd, or its store.",
    discussion: """
        firstlight fleet builds --from https://collector.example:8443
        firstlight fleet dead --from sqlite:fleet.sqlite --program server
        firstlight fleet order --from https://collector.example:8443 \\
          --program server --version 2.1 -o server.order

      A token for reading is taken from FIRSTLIGHT_TOKEN.
      """,
    subcommands: [
      FleetBuildsCommand.self, FleetStatusCommand.self, FleetOrderCommand.self,
      FleetDeadCommand.self, FleetStartupsCommand.self, FleetForgetCommand.self,
    ])
}

/// Where to ask.
struct FleetOrigin: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The firstlightd to ask, or the store to read.",
      valueName: "url | sqlite:PATH | clickhouse:URL"))
  var from: String

  @Option(
    help: ArgumentHelp(
      "Certificates (PEM) to trust instead of the system's.", valueName: "file.pem"))
  var ca: String?

  func source(writes: Bool = false) throws(Failure) -> FleetSource {
    try FleetSource(from, authorities: ca, writes: writes)
  }
}

/// Of what.
struct FleetChoice: ParsableArguments {
  @Option(help: ArgumentHelp("Only this build, by its first digits.", valueName: "id"))
  var buildID: String?

  @Option(help: ArgumentHelp("Only builds of this program, by its file's name.", valueName: "name"))
  var program: String?

  @Option(
    name: .customLong("version"),
    help: ArgumentHelp("Only what ran as this version of it.", valueName: "v"))
  var programVersion: String?

  @Option(
    help: ArgumentHelp("Only what ran under this label. May be repeated.", valueName: "k=v"))
  var label: [String] = []

  @Option(
    help: ArgumentHelp("Only since this day, in UTC.", valueName: "yyyy-mm-dd"))
  var since: String?

  var query: FleetQuery {
    FleetQuery(
      buildID: buildID, program: program, version: programVersion, since: since, labels: label)
  }
}
