import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import SystemSupport

/// The commands of `firstlight` that concern fleets. It starts this program for them.
struct ClientCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlight",
    subcommands: [FleetCommand.self, UploadCommand.self, UploadSymbolsCommand.self])

  /// Whether the words are one of these commands.
  static func isMeant(by words: [String]) -> Bool {
    configuration.subcommands.contains { $0._commandName == words.first }
  }

  /// Whether the words are `fleet COMMAND --version`. Some of these commands have an option of this name.
  static func asksForVersion(_ words: [String]) -> Bool {
    words.count == 3 && words[0] == "fleet" && words[2] == "--version"
  }

  /// - Throws: `.usage` if the word after `fleet` is no command of it.
  static func check(_ words: [String]) throws(Failure) {
    guard words.first == "fleet", words.count > 1, !words[1].begins(with: "-"), words[1] != "help"
    else { return }
    let names = FleetCommand.configuration.subcommands.map { $0._commandName }
    guard !names.contains(words[1]) else { return }
    let advice =
      NearestWord.to(words[1], among: names).map { "did you mean '\($0)'?" }
      ?? "there are \(names.joined(separator: ", "))"
    throw Failure(.usage, "there is no command '\(words[1])'; \(advice)")
  }
}

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
