import ArgumentParser
import ClickHouseStore
import Collector
import FirstlightModel
import Foundation
import HTTPTransport

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs the daemon; what it does without a subcommand.",
    discussion: """
      Each option is also a key of the file that --config names, and an environment variable: \
      --user-files, user-files and FIRSTLIGHTD_USER_FILES are one setting. Options win over \
      variables, and those over the file. Sizes are written as 500M or 2G.
      """)

  @Option(
    help: ArgumentHelp("Settings, KEY = VALUE lines; options and variables win.", valueName: "file")
  )
  var config: String?

  @OptionGroup var main: MainOptions
  @OptionGroup(title: "Speaking to upstream") var upstream: UpstreamOptions
  @OptionGroup(title: "Being spoken to") var server: ServerOptions
  @OptionGroup(title: "This host") var host: HostOptions
  @OptionGroup(title: "What may wait") var waiting: WaitingOptions
  @OptionGroup(title: "What the store keeps") var retention: RetentionOptions
  @OptionGroup(title: "The names of functions") var symbols: SymbolOptions
  @OptionGroup(title: "Its log") var log: LogOptions

  func run() async throws {
    let groups: [any SettingOptions] = [
      main, upstream, server, host, waiting, retention, symbols, log,
    ]
    let environment = ProcessInfo.processInfo.environment
    let sources = try SettingSources(
      options: groups.reduce(into: [:]) { given, group in
        given.merge(group.given) { first, _ in first }
      },
      environment: environment, file: config ?? environment["FIRSTLIGHTD_CONFIG"])
    var settings = try sources.configuration()
    let isArgument = sources.isOption("store")
    settings.openClickHouse = { url throws(Failure) in
      // For as long as the process runs.
      ClickHouseFleetStore(
        try ClickHouseAddress(url, isArgument: isArgument), transport: try HTTPTransport())
    }
    // What it makes tells what programs ran: nobody else reads it, unless somebody lets them.
    umask(0o077)
    DescriptorLimit.raise()
    Allocator.returnMemoryEarly()
    try await Daemon(settings).run { _exit(0) }
  }
}
