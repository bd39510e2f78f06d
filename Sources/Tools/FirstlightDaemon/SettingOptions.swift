import ArgumentParser

/// Options that are settings, each under the setting's own name.
protocol SettingOptions: ParsableArguments {}

extension SettingOptions {
  /// The values given on the command line, by setting: `user-files` for `userFiles`.
  var given: [String: String] {
    var given: [String: String] = [:]
    for child in Mirror(reflecting: self).children {
      guard let option = child.value as? Option<String?>, let text = option.wrappedValue,
        let label = child.label
      else { continue }
      given[Self.key(of: label)] = text
    }
    return given
  }

  /// - Parameter label: a wrapped property, as reflection calls it: `_userFiles`.
  private static func key(of label: String) -> String {
    label.drop { $0 == "_" }.reduce(into: "") { key, character in
      if character.isUppercase { key += "-" }
      key += character.lowercased()
    }
  }
}

struct MainOptions: SettingOptions {
  @Option(
    help: ArgumentHelp("Directory that programs record into.", valueName: "dir"),
    completion: .directory)
  var spool: String?

  @Option(
    help: ArgumentHelp(
      "Create the spool, and let all users of the machine record into it (default: no).",
      valueName: "yes | no"))
  var spoolForAll: String?

  @Option(
    help: ArgumentHelp(
      "Store for the evidence (default: SQLite in the state directory).",
      valueName: "sqlite:PATH | clickhouse:URL"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Address to listen on for HTTP. An address reachable from other hosts needs TLS and tokens.",
      valueName: "addr:port"))
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "Unix socket to create; a connection makes the daemon scan the spool at once.",
      valueName: "path"), completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp("Send everything to this firstlightd instead of a store.", valueName: "url"))
  var upstream: String?
}

struct UpstreamOptions: SettingOptions {
  @Option(
    help: ArgumentHelp("File whose first line is the token to send.", valueName: "file"),
    completion: .file())
  var upstreamTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Certificate authorities (PEM) to trust (default: the system's).", valueName: "file"),
    completion: .file())
  var upstreamCa: String?

  @Option(
    help: ArgumentHelp("Client certificate (PEM) to present.", valueName: "file"),
    completion: .file())
  var upstreamCertificate: String?

  @Option(
    help: ArgumentHelp("Private key of that certificate.", valueName: "file"), completion: .file())
  var upstreamKey: String?
}

struct ServerOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "Tokens of clients, made with firstlightd token add. Without it, all users of this machine "
        + "may query, and only the daemon's own user may send.",
      valueName: "file"), completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Server certificate (PEM) with its intermediate certificates.", valueName: "file"),
    completion: .file())
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp("Private key of that certificate.", valueName: "file"), completion: .file())
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "Require client certificates signed by these authorities (PEM).", valueName: "file"),
    completion: .file())
  var tlsClientCa: String?

  @Option(help: ArgumentHelp("Most connections at a time (default: 1024).", valueName: "n"))
  var connections: String?

  @Option(
    help: ArgumentHelp(
      "Most connections from one peer (default: a quarter of those).", valueName: "n"))
  var peerConnections: String?

  @Option(
    help: ArgumentHelp("Timeout for the head of a request (default: 10).", valueName: "seconds"))
  var headTimeout: String?

  @Option(
    help: ArgumentHelp(
      "Timeout for a body, extended while bytes arrive (default: 30).", valueName: "seconds"))
  var bodyTimeout: String?

  @Option(
    help: ArgumentHelp("Longest pause between two requests (default: 60).", valueName: "seconds"))
  var idleTimeout: String?

  @Option(
    help: ArgumentHelp("Largest batch, compressed (default: 32M).", valueName: "size"))
  var bodyLimit: String?

  @Option(
    help: ArgumentHelp("Largest batch, uncompressed (default: 64M).", valueName: "size"))
  var inflatedLimit: String?

  @Option(
    help: ArgumentHelp(
      "Most memory for all uploads being received (default: 128M).", valueName: "size"))
  var bodyMemory: String?

  @Option(
    help: ArgumentHelp("Largest binary that may be uploaded (default: 2G).", valueName: "size"))
  var symbolLimit: String?
}

struct HostOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "Name of this host (default: derived from its machine id).", valueName: "name"))
  var host: String?

  @Option(
    help: ArgumentHelp(
      "Labels of all runs of this host; the key version is the program's version.",
      valueName: "key=value,..."))
  var labels: String?
}

struct WaitingOptions: SettingOptions {
  @Option(help: .hidden)
  var outboxBytes: String?

  @Option(help: .hidden)
  var outboxDays: String?

  @Option(
    help: ArgumentHelp(
      "Spool quota of one user's recordings (default: 4G).", valueName: "size"))
  var userBytes: String?

  @Option(help: ArgumentHelp("The same as a number of files (default: 200000).", valueName: "n"))
  var userFiles: String?

  @Option(
    help: ArgumentHelp(
      "Spool quota of all recordings (default: 16G).", valueName: "size"))
  var totalBytes: String?

  @Option(help: ArgumentHelp("The same as a number of files (default: 800000).", valueName: "n"))
  var totalFiles: String?

  @Option(
    help: ArgumentHelp(
      "Most processes of one user collected per second (default: 20000).", valueName: "n"))
  var userRate: String?

  @Option(
    help: ArgumentHelp(
      "Largest quarantine of unreadable and refused data (default: 1G).", valueName: "size"))
  var quarantineBytes: String?

  @Option(help: ArgumentHelp("The same as a number of files (default: 20000).", valueName: "n"))
  var quarantineFiles: String?
}

struct RetentionOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "Days for which a host may still send what it counted (default: 35). Older days are added up.",
      valueName: "days"))
  var openDays: String?

  @Option(
    help: ArgumentHelp(
      "Days to keep evidence after its arrival, or all for no limit (default: 730).",
      valueName: "days"))
  var retainDays: String?

  @Option(
    help: ArgumentHelp(
      "Most builds to keep of a program, besides those still reporting, or all (default: 500).",
      valueName: "n"))
  var retainBuilds: String?

  @Option(
    help: ArgumentHelp(
      "Largest store, or all for no limit (default: 64G). The oldest evidence is removed first.",
      valueName: "size"))
  var retainBytes: String?
}

struct SymbolOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "Directories of binaries and debug files by build id (default: /usr/lib/debug).",
      valueName: "dir:dir..."), completion: .directory)
  var debugDirectories: String?

  @Option(
    help: ArgumentHelp(
      "Fetch other debug files from the servers in DEBUGINFOD_URLS (default: no).",
      valueName: "yes | no"))
  var debuginfod: String?

  @Option(
    help: ArgumentHelp(
      "Most memory for reading one binary (default: 2G).", valueName: "size"))
  var symbolMemory: String?
}

struct LogOptions: SettingOptions {
  @Option(
    help: ArgumentHelp("Log level, from trace to critical (default: info).", valueName: "level"))
  var logLevel: String?

  @Option(
    help: ArgumentHelp(
      "Log format: text, or one JSON object a line (default: text).", valueName: "text | json"))
  var logFormat: String?
}
