import BuildReader
import FirstlightModel
import FleetAPI
import FleetModel
import Glibc
import HTTPTransport
import IntakeLedger
import Logging
import Metrics
import ServiceLifecycle
import SpoolIntake

/// firstlightd: takes in what programs of this host leave, or what other hosts send, and keeps it or
/// sends it on.
package struct Daemon: Sendable {
  private let configuration: DaemonConfiguration
  private let logger: Logger
  private let metrics = PrometheusMetrics()

  /// - Throws: `.usage` if the configuration contradicts itself.
  package init(_ configuration: DaemonConfiguration) throws(Failure) {
    try configuration.check()
    self.configuration = configuration
    LogSetup.bootstrap(level: configuration.logLevel, asJSON: configuration.logsJSON)
    MetricsSystem.bootstrap(metrics)
    logger = Logger(label: "firstlightd")
  }

  /// Runs until SIGTERM or SIGINT. What is being done then is finished, or kept for the next start.
  ///
  /// - Parameter cutOff: ends the process at once: called when work that is told to end does not.
  package func run(cutOff: @escaping @Sendable () -> Void) async throws {
    let stop = await StopSignals(logger: logger, cutOff: cutOff)
    for note in configuration.notes { logger.warning("\(note)") }
    let monitor = DaemonMonitor()
    // Before anything is opened or moved: what could not be served is better left where it is.
    try configuration.listen?.check()
    var services: [EssentialService] = []
    let store = try await openStore()
    store?.tell { monitor.store($0) }
    let batches = store.map { BatchIntake(store: $0, journal: storeJournal()) }
    let debuginfod = configuration.usesDebuginfod ? try HTTPTransport() : nil
    let reader = BuildReader(
      debugDirectories: configuration.debugDirectories, memoryLimit: configuration.symbolMemory)
    let symbolizer = store.map {
      Symbolizer(
        store: $0, reader: reader, debugDirectories: configuration.debugDirectories,
        transport: debuginfod, monitor: monitor, logger: logger)
    }
    if let symbolizer {
      services.append(.init(name: "function naming", service: symbolizer))
    }
    var watcher: SpoolWatcher?
    if let path = configuration.spool {
      let host = try hostServices(
        spool: path, store: store, batches: batches, symbolizer: symbolizer, monitor: monitor)
      watcher = host.watcher
      services += host.services
    }
    if let listen = configuration.listen {
      let status = StatusReport(
        configuration: configuration, store: store, watcher: watcher, monitor: monitor)
      let server = APIServer(
        configuration: configuration, store: store, batches: batches, status: status,
        symbolizer: symbolizer, metrics: metrics, monitor: monitor, logger: logger)
      services.append(
        .init(
          name: "server on \(listen)",
          service: try server.service(listening: listen) { [logger] port in
            logger.info("listening", metadata: ["port": "\(port)"])
          }))
    }
    if let store {
      let retention = Retention(
        store: store, rules: configuration.retention, monitor: monitor, logger: logger)
      services.append(
        .init(
          name: "housekeeping",
          service: Housekeeping(store: store, retention: retention, logger: logger)))
    }
    services.append(
      .init(name: "systemd notification", service: SystemdService(monitor: monitor)))
    services.append(
      .init(
        name: "start-up announcement",
        service: Announcement(
          logger: logger,
          facts: [
            "spool": "\(configuration.spool ?? "none")",
            "to": "\(configuration.upstream ?? store?.name ?? "none")",
            "listen": "\(configuration.listen?.description ?? "none")",
          ])))
    let group = ServiceGroup(
      configuration: .init(services: services.map(\.configured), logger: logger))
    stop.end(group)
    try await group.run()
    logger.info("stopped")
  }

  private func openStore() async throws -> (any FleetStore)? {
    if configuration.upstream != nil { return nil }
    let store = try (configuration.store ?? StateDirectory.defaultStore()).open(
      clickHouse: configuration.openClickHouse)
    try await store.prepare()
    return store
  }

  /// Of batches that are being counted: beside a store of our own. None where another daemon has it, or
  /// nothing can be written.
  private func storeJournal() -> WorkJournal? {
    switch configuration.store ?? (try? StateDirectory.defaultStore()) {
    case .sqlite(let path): return try? WorkJournal(path: "\(path).working")
    case .clickhouse, nil:
      guard case .sqlite(let path) = try? StateDirectory.defaultStore() else { return nil }
      return try? WorkJournal(path: "\(path).clickhouse.working")
    }
  }

  private func hostServices(
    spool path: String, store: (any FleetStore)?, batches: BatchIntake?, symbolizer: Symbolizer?,
    monitor: DaemonMonitor
  ) throws(Failure) -> (
    services: [EssentialService], watcher: SpoolWatcher
  ) {
    let spool = try Spool(path: path, isForAll: configuration.isSpoolForAll)
    let (ledger, damaged) = try IntakeLedger.opened(at: spool.ledgerPath)
    if let damaged {
      logger.error(
        "ledger damaged and replaced by a new one: undelivered batches are lost",
        metadata: ["aside": "\(damaged)"])
    }
    var options = IntakeOptions(
      labels: configuration.labels, host: configuration.host ?? HostID.ofThisMachine())
    options.userBytes = configuration.userBytes
    options.userFiles = configuration.userFiles
    options.totalBytes = configuration.totalBytes
    options.totalFiles = configuration.totalFiles
    options.quarantineBytes = configuration.quarantineBytes
    options.quarantineFiles = configuration.quarantineFiles
    options.userRate = configuration.userRate
    if configuration.upstream != nil {
      options.destination = .upstream { batch throws(Failure) in try Deflate.compress(batch) }
    }
    let intake = try SpoolIntake(
      spool: spool, ledger: ledger, options: options,
      journal: WorkJournal(path: spool.intakeJournalPath))
    let watcher = try SpoolWatcher()
    let wake = WakeUp()
    let sink: any FleetSink =
      if let store, let batches {
        StoreSink(name: store.name, batches: batches)
      } else {
        try upstreamSink()
      }
    return (
      [
        .init(
          name: "delivery",
          service: Forwarder(
            ledger: ledger, sink: sink, configuration: configuration,
            quarantine: intake.quarantine, wake: wake, monitor: monitor, logger: logger,
            onDelivery: { symbolizer?.lookSoon() })),
        .init(
          name: "spool intake",
          service: IntakeService(
            intake: .init(intake: intake), watcher: watcher, socketPath: configuration.socket,
            listening: Systemd.listeningSocket(), wake: wake, monitor: monitor, logger: logger)),
      ], watcher
    )
  }

  private func upstreamSink() throws(Failure) -> any FleetSink {
    try UpstreamSink(
      url: configuration.upstream ?? "", token: configuration.upstreamToken,
      transport: HTTPTransport(.init(tls: configuration.upstreamTLS)))
  }
}
