import ArgumentParser

/// Options that are settings, each under the setting's own name.
protocol SettingOptions: ParsableArguments {}

extension SettingOptions {
  /// What the command line gives of them, by setting: `user-files` for `userFiles`.
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
    help: ArgumentHelp(
      "Where to make the Unix socket that says \"look now\".", valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp("Another firstlightd to send everything to.", valueName: "url"))
  var upstream: String?
}

struct UpstreamOptions: SettingOptions {
  @Option(help: ArgumentHelp("The token to send, the first line of a file.", valueName: "file"))
  var upstreamTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Whose certificates it may show; by default the system's.", valueName: "file"))
  var upstreamCa: String?

  @Option(help: ArgumentHelp("The certificate to show it.", valueName: "file"))
  var upstreamCertificate: String?

  @Option(help: ArgumentHelp("The key of that certificate.", valueName: "file"))
  var upstreamKey: String?
}

struct ServerOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "The tokens of those who may ask and send; made with firstlightd token add. Without it whoever "
        + "is on this machine may ask, and its own user send.",
      valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "The server's certificate, with those between it and a root.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The key of that certificate.", valueName: "file"))
  var tlsKey: String?

  @Option(help: ArgumentHelp("Whose certificates clients have to show.", valueName: "file"))
  var tlsClientCa: String?

  @Option(help: ArgumentHelp("Most connections at one time; by default 1024.", valueName: "n"))
  var connections: String?

  @Option(help: ArgumentHelp("Most of them of one peer; by default a quarter.", valueName: "n"))
  var peerConnections: String?

  @Option(help: ArgumentHelp("Time for a request's head; by default 10.", valueName: "seconds"))
  var headTimeout: String?

  @Option(
    help: ArgumentHelp(
      "Time for a body, more as long as bytes come; by default 30.", valueName: "seconds"))
  var bodyTimeout: String?

  @Option(help: ArgumentHelp("Time between two requests; by default 60.", valueName: "seconds"))
  var idleTimeout: String?

  @Option(
    help: ArgumentHelp("Most bytes of a batch as it is sent; by default 32M.", valueName: "size"))
  var bodyLimit: String?

  @Option(
    help: ArgumentHelp("Most bytes of a batch once inflated; by default 64M.", valueName: "size"))
  var inflatedLimit: String?

  @Option(
    help: ArgumentHelp(
      "Most bytes of all batches that are being taken; by default 128M.", valueName: "size"))
  var bodyMemory: String?

  @Option(
    help: ArgumentHelp("Most bytes of a binary that is sent; by default 2G.", valueName: "size"))
  var symbolLimit: String?
}

struct HostOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "What to call this host; by default made from its machine id.", valueName: "name"))
  var host: String?

  @Option(
    help: ArgumentHelp(
      "What all traces of this host are told apart by; version is the program's.",
      valueName: "key=value,..."))
  var labels: String?
}

struct WaitingOptions: SettingOptions {
  @Option(
    help: ArgumentHelp("Most bytes that wait for delivery; by default 2G.", valueName: "size"))
  var outboxBytes: String?

  @Option(help: ArgumentHelp("How long they wait; by default 7.", valueName: "days"))
  var outboxDays: String?

  @Option(
    help: ArgumentHelp(
      "Most bytes of one user's finished processes in the spool; by default 4G.", valueName: "size")
  )
  var userBytes: String?

  @Option(help: ArgumentHelp("The same in files; by default 200000.", valueName: "n"))
  var userFiles: String?

  @Option(
    help: ArgumentHelp(
      "Most bytes of all finished processes there; by default 16G.", valueName: "size"))
  var totalBytes: String?

  @Option(help: ArgumentHelp("The same in files; by default 800000.", valueName: "n"))
  var totalFiles: String?

  @Option(
    help: ArgumentHelp(
      "Most processes of one user that are taken in a second; by default 20000.", valueName: "n"))
  var userRate: String?

  @Option(
    help: ArgumentHelp(
      "Most bytes of what could not be read or was refused; by default 1G.", valueName: "size"))
  var quarantineBytes: String?

  @Option(help: ArgumentHelp("The same in files; by default 20000.", valueName: "n"))
  var quarantineFiles: String?
}

struct RetentionOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "How long evidence is kept after it came; by default 730, all for ever.", valueName: "days"))
  var retainDays: String?

  @Option(
    help: ArgumentHelp(
      "Most builds of a program, besides those that still report; by default 500, or all.",
      valueName: "n"))
  var retainBuilds: String?

  @Option(
    help: ArgumentHelp(
      "Most bytes that the store takes up; by default 64G, or all. The oldest evidence goes first.",
      valueName: "size"))
  var retainBytes: String?
}

struct SymbolOptions: SettingOptions {
  @Option(
    help: ArgumentHelp(
      "Where binaries and debug files lie by build id; by default /usr/lib/debug.",
      valueName: "dir:dir..."))
  var debugDirectories: String?

  @Option(
    help: ArgumentHelp(
      "Whether to ask the servers of DEBUGINFOD_URLS for what no directory has.",
      valueName: "yes | no"))
  var debuginfod: String?

  @Option(
    help: ArgumentHelp(
      "Most memory for reading a binary, however large it is; by default 2G.", valueName: "size"))
  var symbolMemory: String?
}

struct LogOptions: SettingOptions {
  @Option(help: ArgumentHelp("From trace to critical; by default info.", valueName: "level"))
  var logLevel: String?

  @Option(help: ArgumentHelp("One object a line, or text.", valueName: "text | json"))
  var logFormat: String?
}
