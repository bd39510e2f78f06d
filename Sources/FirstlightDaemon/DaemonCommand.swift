import ArgumentParser
import BuildReader
import ClickHouseStore
import Collector
import FirstlightModel
import Foundation
import HTTPTransport

/// The daemon's command line, and how it ends.
@main
struct DaemonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlightd",
    abstract: "Collects which functions programs ran, on one host or from many.",
    usage: """
      firstlightd [--config FILE] [--spool DIR] [--store sqlite:PATH | clickhouse:URL]
                  [--listen ADDR:PORT] [--socket PATH] [--upstream URL]
      firstlightd token add|list|revoke --file PATH
      """,
    discussion: """
      Programs built for Firstlight record into a directory, the spool, when FIRSTLIGHT_DIR names \
      it. firstlightd takes in what finished ones leave there and keeps it in a store, or sends it \
      on to another firstlightd:

        mkdir -m 1733 /var/lib/firstlight
        firstlightd --spool /var/lib/firstlight --store sqlite:/var/lib/fleet.sqlite
        firstlight fleet dead --from sqlite:/var/lib/fleet.sqlite

      `firstlightd help run` explains these options. Programs need no daemon to run and none to have \
      been started before them. Documentation/Fleet.md tells the rest.

      Exit codes: 0 stopped by SIGTERM or SIGINT; 64 the command line or configuration is wrong; \
      66 an input cannot be read; 69 something needed is not there, as when another daemon has the \
      spool; 71 the system refused; 73 something cannot be made.
      """,
    version: "0.1.0",
    subcommands: [RunCommand.self, TokenCommand.self], defaultSubcommand: RunCommand.self)

  static func main() async {
    // Before anything starts a thread.
    BuildWorker.runIfAsked(CommandLine.arguments)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as Failure {
      FileHandle.standardError.write(Data("firstlightd: error: \(failure)\n".utf8))
      Foundation.exit(failure.kind.rawValue)
    } catch {
      exit(withError: error)
    }
  }
}

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs the daemon; what it does without a subcommand.")

  @Option(
    help: ArgumentHelp("Settings, KEY = VALUE lines; the options below win.", valueName: "file"))
  var config: String?

  @Option(help: ArgumentHelp("The directory that programs record into.", valueName: "dir"))
  var spool: String?

  @Option(
    help: ArgumentHelp(
      "Where evidence is kept; by default SQLite in the state directory.",
      valueName: "sqlite:PATH | clickhouse:URL"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Where to listen for HTTP. An address that others can reach needs TLS and tokens.",
      valueName: "addr:port"))
  var listen: String?

  @Option(
    help: ArgumentHelp("Where to make the Unix socket that says \"look now\".", valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp("Another firstlightd to send everything to.", valueName: "url"))
  var upstream: String?

  func run() async throws {
    var settings = DaemonConfiguration()
    if let config { try ConfigurationFile.read(config, into: &settings) }
    if let spool { settings.spool = spool }
    if let store {
      settings.store = try StoreAddress(store)
      if upstream == nil { settings.upstream = nil }
    }
    if let listen { settings.listen = try ListenAddress(listen) }
    if let socket { settings.socket = socket }
    if let upstream { settings.upstream = upstream }
    settings.openClickHouse = { url throws(Failure) in
      // For as long as the process runs.
      ClickHouseFleetStore(try ClickHouseAddress(url), transport: try HTTPTransport())
    }
    try await Daemon(settings).run()
  }
}
