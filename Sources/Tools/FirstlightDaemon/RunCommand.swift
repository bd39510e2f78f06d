import ArgumentParser
import CMalloc
import Collector
import FirstlightModel
import Foundation
import SystemSupport

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

  @OptionGroup var task: SettingOptions<0>
  @OptionGroup(title: Setting.groups[1].title) var upstream: SettingOptions<1>
  @OptionGroup(title: Setting.groups[2].title) var server: SettingOptions<2>
  @OptionGroup(title: Setting.groups[3].title) var host: SettingOptions<3>
  @OptionGroup(title: Setting.groups[4].title) var quotas: SettingOptions<4>
  @OptionGroup(title: Setting.groups[5].title) var retention: SettingOptions<5>
  @OptionGroup(title: Setting.groups[6].title) var names: SettingOptions<6>
  @OptionGroup(title: Setting.groups[7].title) var log: SettingOptions<7>

  /// The settings given on the command line.
  var given: [TextBytes: String] {
    [
      task.given, upstream.given, server.given, host.given, quotas.given, retention.given,
      names.given, log.given,
    ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }
  }

  func run() async throws {
    let environment = Dictionary(
      texts: ProcessInfo.processInfo.environment.map { ($0.key, $0.value) }
    ) { $1 }
    let sources = try SettingSources(
      options: given, environment: environment, file: config ?? environment["FIRSTLIGHTD_CONFIG"])
    let settings = try sources.configuration()
    // The daemon's files are private, because they show which programs ran.
    umask(0o077)
    DescriptorLimit.raise()
    Allocator.returnMemoryEarly()
    let cache = settings.usesDebuginfod ? try DebuginfodCache() : nil
    defer { cache?.remove() }
    try await Daemon(settings).run {
      cache?.remove()
      _exit(0)
    }
  }
}

/// The folder in which debuginfod's client keeps files, and which builds no server has. The daemon keeps a file
/// only until it has read it, so the folder is its own and empty at the start.
private struct DebuginfodCache {
  private let folder: String

  /// Makes the folder, names it to the client and sets the client's limits (debuginfod_find_debuginfo(3)).
  init() throws(Failure) {
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/firstlightd-debuginfod-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(.cannotCreate, "no folder for debuginfod's files: \(ErrorText.of(errno))")
    }
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    setenv("DEBUGINFOD_CACHE_PATH", folder, 1)
    setenv("DEBUGINFOD_MAXSIZE", "\(2 << 30)", 0)
    setenv("DEBUGINFOD_MAXTIME", "300", 0)
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// Settings of malloc: after one large batch, the daemon returns the memory to the system.
enum Allocator {
  /// Limits malloc to few arenas, and returns large blocks to the system at once (mallopt(3)). By default there
  /// are up to eight arenas for each CPU, which keep blocks of up to 32 MB.
  static func returnMemoryEarly() {
    _ = mallopt(M_ARENA_MAX, 2)
    _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
  }
}
