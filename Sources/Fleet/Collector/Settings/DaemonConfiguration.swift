import FirstlightModel
import FleetModel
import HTTPTransport
import Logging
import SpoolIntake

/// The configuration of firstlightd.
package struct DaemonConfiguration: Sendable {
  /// The directory into which programs write segments; nil: the daemon collects nothing on its own host.
  package var spool: String?
  package var store: StoreAddress?
  /// Whether `store` is an option, which all users of the machine can read.
  var isStoreOption = false
  /// The HTTP address to listen on, `ADDR:PORT`; nil: none.
  package var listen: ListenAddress?
  /// Path of the Unix socket that triggers a scan of the spool.
  package var socket: String?
  /// Another firstlightd that gets all data instead of a store.
  package var upstream: String?
  var upstreamToken: String?
  var upstreamTLS = TLSFiles()
  package var tls = TLSFiles()
  var tokenFile: String?
  /// The host's labels, name and quotas.
  package var intake = IntakeOptions()
  /// Whether to create the spool and let all users of the machine record into it.
  var isSpoolForAll = false
  /// Directories that contain `.build-id/`.
  package var debugDirectories = ["/usr/lib/debug"]
  /// Whether to query the debuginfod servers of DEBUGINFOD_URLS for files that no directory has.
  package var usesDebuginfod = false
  /// The number of days before today for which hosts may still send rows: the longest outage without loss.
  /// Older days are added up.
  var openDays = 35
  /// The data that the store keeps.
  package var retention = RetentionRules()
  package var logLevel = Logger.Level.info
  var logsJSON = false
  /// The most connections at one time.
  package var connections = 1024
  /// The most connections of one peer; nil: a quarter of `connections`.
  var peerConnections: Int?
  /// The time limits for clients.
  var pace = RequestPace()
  /// The most bytes of an uploaded batch, deflated or inflated.
  var bodyLimit = 32 << 20
  var inflatedLimit = 64 << 20
  /// The most bytes of all batches that are being received, wait or are read.
  var bodyMemory = 128 << 20
  /// The most bytes of a binary that is uploaded for its symbols.
  var symbolLimit = 2 << 30
  /// The most bytes of memory for reading a binary's symbols, whatever its size.
  var symbolMemory = 2 << 30

  /// Notes on the configuration, for the log.
  var notes: [String] = []

  init() {}

  /// Checks that the settings fit together.
  /// - Throws: `.usage`, with the setting to change.
  package func check() throws(Failure) {
    if spool == nil, listen == nil {
      throw Failure(
        .usage, "nothing to do",
        advice: "set --spool, --listen or both")
    }
    if upstream != nil, store != nil {
      throw Failure(
        .usage, "--store and --upstream exclude each other",
        advice: "leave out --store on hosts that send to an upstream")
    }
    guard bodyMemory - bodyLimit >= inflatedLimit else {
      throw Failure(
        .usage, "body-memory is less than the sum of body-limit and inflated-limit",
        advice: "raise body-memory, or lower one of these")
    }
    guard let listen, !listen.isLoopback else { return }
    if tls.certificate == nil || tls.key == nil || tokenFile == nil {
      throw Failure(
        .usage, "\(listen) is reachable from other hosts, so it needs both TLS and tokens",
        advice: "set tls-certificate, tls-key and token-file, or listen on 127.0.0.1")
    }
  }
}
