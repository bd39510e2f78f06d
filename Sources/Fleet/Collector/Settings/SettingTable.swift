import FirstlightModel
import Logging

extension Setting {
  package static let all = groups.flatMap(\.settings)

  /// All settings in the order of help. FirstlightDaemon has an option for each.
  package static let groups: [(title: String, settings: [Setting])] = [
    ("", task), ("Upstream", upstream), ("Server", server), ("Host", host),
    ("Queues and quotas", quotas), ("Retention", retention), ("Function names", names),
    ("Log", log),
  ]

  private static let task = [
    Setting("spool", \.spool, .directory, "Directory that programs record into."),
    Setting(
      "spool-for-all", \.isSpoolForAll, .flag,
      "Create the spool with mode 1733, and let all users of the machine record into it."),
    Setting(
      "store", \.store,
      SettingKind("sqlite:PATH | clickhouse:URL") { text throws(Failure) in
        try StoreAddress(text)
      }, "Store for the evidence.",
      default: "SQLite in the state directory"),
    Setting(
      "listen", \.listen,
      SettingKind("addr:port") { text throws(Failure) in try ListenAddress(text) },
      "Address to listen on for HTTP. An address reachable from other hosts needs TLS and tokens."),
    Setting(
      "socket", \.socket, .text("path"),
      "Unix socket to create; a connection makes the daemon scan the spool at once."),
    Setting(
      "upstream", \.upstream, .text("url"),
      "Send everything to this firstlightd instead of a store."),
  ]

  private static let upstream = [
    Setting(
      "upstream-token-file", \.upstreamToken, .secret,
      "File whose first line is the token to send."),
    Setting(
      "upstream-ca", \.upstreamTLS.authorities, .text("file"),
      "Certificate authorities (PEM) to trust.", default: "the system's"),
    Setting(
      "upstream-certificate", \.upstreamTLS.certificate, .text("file"),
      "Client certificate (PEM) to present."),
    Setting("upstream-key", \.upstreamTLS.key, .text("file"), "Private key of that certificate."),
  ]

  private static let server = [
    Setting(
      "token-file", \.tokenFile, .text("file"),
      "Tokens of clients, made with firstlightd token add. Without it, all users of this machine "
        + "may query, and only the daemon's own user may send."),
    Setting(
      "tls-certificate", \.tls.certificate, .text("file"),
      "Server certificate (PEM) with its intermediate certificates."),
    Setting("tls-key", \.tls.key, .text("file"), "Private key of that certificate."),
    Setting(
      "tls-client-ca", \.tls.authorities, .text("file"),
      "Require client certificates signed by these authorities (PEM)."),
    Setting("connections", \.connections, .number(), "Most connections at a time."),
    Setting(
      "peer-connections", \.peerConnections,
      SettingKind("n") { text throws(Failure) in try SettingKind<Int>.number().read(text) },
      "Most connections from one peer.", default: "a quarter of those"),
    Setting("head-timeout", \.pace.head, .seconds, "Timeout for the head of a request."),
    Setting(
      "body-timeout", \.pace.body, .seconds, "Timeout for a body, extended while bytes arrive."),
    Setting("idle-timeout", \.pace.idle, .seconds, "Longest pause between two requests."),
    Setting("body-limit", \.bodyLimit, .size, "Largest batch, compressed."),
    Setting("inflated-limit", \.inflatedLimit, .size, "Largest batch, uncompressed."),
    Setting(
      "body-memory", \.bodyMemory, .size,
      "Most memory for all uploads being received. At least body-limit plus inflated-limit."),
    Setting("symbol-limit", \.symbolLimit, .size, "Largest binary that may be uploaded."),
  ]

  private static let host = [
    Setting(
      "host", \.intake.host, SettingKind("name") { $0 }, "Name of this host.",
      default: "derived from its machine id"),
    Setting(
      "labels", \.intake.labels, .labels,
      "Labels of all runs of this host; the key version is the program's version."),
  ]

  private static let quotas = [
    Setting(
      "user-bytes", \.intake.userBytes, .size,
      "Spool quota of one user's recordings, running processes included."),
    Setting("user-files", \.intake.userFiles, .number(), "The same as a number of files."),
    Setting("total-bytes", \.intake.totalBytes, .size, "Spool quota of all recordings."),
    Setting("total-files", \.intake.totalFiles, .number(), "The same as a number of files."),
    Setting(
      "user-rate", \.intake.userRate, .number(), "Most processes of one user collected per second."),
    Setting(
      "quarantine-bytes", \.intake.quarantineBytes, .size,
      "Largest quarantine of unreadable and refused data."),
    Setting(
      "quarantine-files", \.intake.quarantineFiles, .number(), "The same as a number of files."),
  ]

  private static let retention = [
    Setting(
      "open-days", \.openDays, .number("days"),
      "Days for which a host may still send what it counted. Older days are added up."),
    Setting(
      "retain-days", \.retention.days, .limit(.number("days")),
      "Days to keep evidence after its arrival, or all for no limit."),
    Setting(
      "retain-builds", \.retention.builds, .limit(.number()),
      "Most builds to keep of a program, besides those still reporting, or all."),
    Setting(
      "retain-bytes", \.retention.bytes, .limit(.size),
      "Largest store, or all for no limit. The oldest evidence is removed first."),
  ]

  private static let names = [
    Setting(
      "debug-directories", \.debugDirectories,
      SettingKind(
        "dir:dir...", show: { $0.joined(separator: ":") },
        read: { $0.split(at: ":").map(String.init) }),
      "Directories of binaries and debug files by build id."),
    Setting(
      "debuginfod", \.usesDebuginfod, .flag,
      "Fetch other debug files from the servers in DEBUGINFOD_URLS."),
    Setting("symbol-memory", \.symbolMemory, .size, "Most memory for reading one binary."),
  ]

  private static let log = [
    Setting(
      "log-level", \.logLevel,
      .choice("level", Logger.Level.allCases.map { ($0.rawValue, $0) }),
      "Log level, from trace to critical."),
    Setting(
      "log-format", \.logsJSON, .choice("text | json", [("text", false), ("json", true)]),
      "Log format: text, or one JSON object a line."),
  ]
}
