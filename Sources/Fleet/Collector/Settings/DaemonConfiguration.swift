import FirstlightModel
import FleetModel
import HTTPTransport

/// The configuration of firstlightd.
package struct DaemonConfiguration: Sendable {
  /// Where programs leave their segments; nil: this daemon takes in nothing of its own host.
  package var spool: String?
  package var store: StoreAddress?
  /// Makes the store that a `clickhouse:` address names.
  package var openClickHouse: StoreAddress.ClickHouseOpener = { url throws(Failure) in
    throw Failure(.unavailable, "clickhouse:\(url): this program has no ClickHouse store")
  }
  /// Where to listen for HTTP, `ADDR:PORT`; nil: nowhere.
  package var listen: ListenAddress?
  /// Path of the Unix socket that triggers a scan of the spool.
  package var socket: String?
  /// Another firstlightd, to which everything goes instead of a store.
  package var upstream: String?
  package var upstreamToken: String?
  package var upstreamTLS = TLSFiles()
  package var tls = TLSFiles()
  package var tokenFile: String?
  package var labels = FleetLabels()
  /// Names this host; nil: made from its machine id.
  package var host: String?
  /// Whether to make the spool, and let all users of the machine record into it.
  package var isSpoolForAll = false
  /// Directories with `.build-id/` below them.
  package var debugDirectories = ["/usr/lib/debug"]
  /// Whether to ask debuginfod servers, those of DEBUGINFOD_URLS, for what no directory has.
  package var usesDebuginfod = false
  package var userBytes = 4 << 30
  package var userFiles = 200_000
  package var totalBytes = 16 << 30
  package var totalFiles = 800_000
  package var quarantineBytes = 1 << 30
  package var quarantineFiles = 20_000
  package var userRate = 20_000
  /// Days before today of which hosts may still send rows: as long as an outage may last. A day that is older
  /// is added up.
  package var openDays = 35
  /// What the store keeps.
  package var retention = RetentionRules()
  package var logLevel = "info"
  package var logsJSON = false
  /// Most connections at one time.
  package var connections = 1024
  /// Most of them that one peer may have; nil: a quarter.
  package var peerConnections: Int?
  /// What a client may take its time over.
  var pace = RequestPace()
  /// Most bytes of a batch of rows that is sent, and of what it is once inflated.
  package var bodyLimit = 32 << 20
  package var inflatedLimit = 64 << 20
  /// Most bytes of all batches that are being received or wait for their turn, and of the one that is read.
  package var bodyMemory = 128 << 20
  /// Most bytes of a binary that is sent for its symbols.
  package var symbolLimit = 2 << 30
  /// Most bytes of memory for reading a binary's symbols, however large it is.
  package var symbolMemory = 2 << 30

  /// Notes on the configuration, for the log.
  var notes: [String] = []

  package init() {}

  /// Checks that the settings work together.
  /// - Throws: `.usage`, saying what to change.
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
    if let upstream, HTTPAddressCheck.isInsecureAbroad(upstream), upstreamToken != nil {
      throw Failure(
        .usage, "\(upstream) would send the token unencrypted over the network",
        advice: "use https, or an address of this machine")
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
