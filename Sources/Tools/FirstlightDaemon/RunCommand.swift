import ArgumentParser
import CMalloc
import ClickHouseStore
import Collector
import FirstlightModel
import Foundation
import HTTPTransport

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs the daemon (the default subcommand).",
    discussion: """
      Each option is also a key of the --config file and an environment variable: --user-files, \
      user-files and FIRSTLIGHTD_USER_FILES are the same setting. Options override variables, and \
      variables override the file. Sizes are written as 500M or 2G.
      """)

  @Option(
    help: ArgumentHelp("Settings file with lines KEY = VALUE.", valueName: "file"),
    completion: .file())
  var config: String?

  @OptionGroup var main: MainOptions
  @OptionGroup(title: "Upstream") var upstream: UpstreamOptions
  @OptionGroup(title: "Server") var server: ServerOptions
  @OptionGroup(title: "Host") var host: HostOptions
  @OptionGroup(title: "Queues and quotas") var waiting: WaitingOptions
  @OptionGroup(title: "Retention") var retention: RetentionOptions
  @OptionGroup(title: "Function names") var symbols: SymbolOptions
  @OptionGroup(title: "Log") var log: LogOptions

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
    // Its files are private: they show which programs ran.
    umask(0o077)
    DescriptorLimit.raise()
    Allocator.returnMemoryEarly()
    try await Daemon(settings).run { _exit(0) }
  }
}

/// Settings of malloc: after one large batch, the daemon returns the memory to the system.
enum Allocator {
  /// Few arenas, and large blocks back to the system at once (mallopt(3)). By default each thread, of eight
  /// times as many as there are processors, keeps an arena of its own, and blocks of up to 32 MB in it.
  static func returnMemoryEarly() {
    _ = mallopt(M_ARENA_MAX, 2)
    _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
  }
}
