import FirstlightModel
import FleetModel

/// A setting of firstlightd: an option, an environment variable and a key of its configuration file.
struct Setting: Sendable {
  /// As the file has it; the option is `--KEY`, the variable FIRSTLIGHTD_KEY.
  let key: String
  let set: @Sendable (String, inout DaemonConfiguration) throws(Failure) -> Void

  static func named(_ key: String) -> Setting? { byKey[key] }

  private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

  /// All settings; FirstlightDaemon has an option for each.
  static let all: [Setting] =
    [
      Setting("spool") { $1.spool = SettingValue.absolute($0) },
      Setting("spool-for-all") { text, it throws(Failure) in
        it.isSpoolForAll = try SettingValue.flag(text)
      },
      Setting("store") { text, it throws(Failure) in it.store = try StoreAddress(text) },
      Setting("listen") { text, it throws(Failure) in it.listen = try ListenAddress(text) },
      Setting("socket") { $1.socket = $0 },
      Setting("upstream") { $1.upstream = $0 },
      Setting("upstream-token-file") { text, it throws(Failure) in
        it.upstreamToken = try SettingValue.secret(text)
      },
      Setting("upstream-ca") { $1.upstreamTLS.authorities = $0 },
      Setting("upstream-certificate") { $1.upstreamTLS.certificate = $0 },
      Setting("upstream-key") { $1.upstreamTLS.key = $0 },
      Setting("tls-certificate") { $1.tls.certificate = $0 },
      Setting("tls-key") { $1.tls.key = $0 },
      Setting("tls-client-ca") { $1.tls.authorities = $0 },
      Setting("token-file") { $1.tokenFile = $0 },
      Setting("host") { $1.host = $0 },
      Setting("labels") { text, it throws(Failure) in
        it.labels = try FleetLabels(try SettingValue.labels(text))
      },
      Setting("debug-directories") {
        $1.debugDirectories = $0.split(separator: ":").map(String.init)
      },
      Setting("debuginfod") { text, it throws(Failure) in
        it.usesDebuginfod = try SettingValue.flag(text)
      },
      Setting("open-days") { text, it throws(Failure) in
        it.openDays = try SettingValue.number(text)
      },
      Setting("retain-days") { text, it throws(Failure) in
        it.retention.days = try SettingValue.limit(text, SettingValue.number)
      },
      Setting("retain-builds") { text, it throws(Failure) in
        it.retention.builds = try SettingValue.limit(text, SettingValue.number)
      },
      Setting("retain-bytes") { text, it throws(Failure) in
        it.retention.bytes = try SettingValue.limit(text, SettingValue.size)
      },
      Setting("log-level") { text, it throws(Failure) in
        it.logLevel = try SettingValue.word(
          text, of: ["trace", "debug", "info", "notice", "warning", "error", "critical"])
      },
      Setting("log-format") { text, it throws(Failure) in
        it.logsJSON = try SettingValue.word(text, of: ["text", "json"]) == "json"
      },
    ]
    + numbers([
      ("user-files", \.userFiles), ("total-files", \.totalFiles),
      ("quarantine-files", \.quarantineFiles), ("user-rate", \.userRate),
      ("connections", \.connections),
    ])
    + [
      Setting("peer-connections") { text, it throws(Failure) in
        it.peerConnections = try SettingValue.number(text)
      }
    ]
    + sizes([
      ("user-bytes", \.userBytes), ("total-bytes", \.totalBytes),
      ("quarantine-bytes", \.quarantineBytes), ("body-limit", \.bodyLimit),
      ("inflated-limit", \.inflatedLimit), ("body-memory", \.bodyMemory),
      ("symbol-limit", \.symbolLimit),
      ("symbol-memory", \.symbolMemory),
    ])
    + ["outbox-bytes", "outbox-days"].map(former)
    + [("head-timeout", \.head), ("body-timeout", \.body), ("idle-timeout", \.idle)].map(pace)

  /// A setting of an earlier version, which does nothing but say so.
  private static func former(_ key: String) -> Setting {
    Setting(key) { _, it in
      it.notes.append("\(key) has no effect any more: what waits does not grow with runs")
    }
  }

  private typealias Path = WritableKeyPath<DaemonConfiguration, Int> & Sendable

  private init(
    _ key: String,
    set: @escaping @Sendable (String, inout DaemonConfiguration) throws(Failure) -> Void
  ) {
    self.key = key
    self.set = set
  }

  private static func numbers(_ settings: [(String, Path)]) -> [Setting] {
    settings.map { key, path in
      Setting(key) { text, it throws(Failure) in it[keyPath: path] = try SettingValue.number(text) }
    }
  }

  private static func sizes(_ settings: [(String, Path)]) -> [Setting] {
    settings.map { key, path in
      Setting(key) { text, it throws(Failure) in it[keyPath: path] = try SettingValue.size(text) }
    }
  }

  private static func pace(
    _ key: String, _ path: WritableKeyPath<RequestPace, Int> & Sendable
  ) -> Setting {
    Setting(key) { text, it throws(Failure) in
      it.pace[keyPath: path] = try SettingValue.seconds(text)
    }
  }
}
