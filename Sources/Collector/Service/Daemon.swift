import BuildReader
import FirstlightModel
import FleetModel
import Glibc
import HTTPTransport
import Logging
import Metrics
import ProfileStore
import ServiceLifecycle
import SpoolIntake

/// firstlightd: takes in what programs of this host leave, or what other hosts send, and keeps it or
/// sends it on.
public struct Daemon: Sendable {
  private let configuration: DaemonConfiguration
  private let logger: Logger
  private let metrics = PrometheusMetrics()

  /// - Throws: `.usage` if the configuration contradicts itself.
  public init(_ configuration: DaemonConfiguration) throws(Failure) {
    try configuration.check()
    self.configuration = configuration
    LogSetup.bootstrap(level: configuration.logLevel, asJSON: configuration.logsJSON)
    MetricsSystem.bootstrap(metrics)
    logger = Logger(label: "firstlightd")
  }

  /// Runs until SIGTERM or SIGINT. What is being done then is finished, or kept for the next start.
  public func run() async throws {
    let stop = await StopSignals(logger: logger)
    let monitor = DaemonMonitor()
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
    let store = try await openStore()
    let debuginfod = configuration.usesDebuginfod ? try HTTPTransport() : nil
    let reader = BuildReader(
      debugDirectories: configuration.debugDirectories, memoryLimit: configuration.symbolMemory)
    let symbolizer = store.map {
      Symbolizer(
        store: $0, reader: reader, debugDirectories: configuration.debugDirectories,
        transport: debuginfod, monitor: monitor, logger: logger)
    }
    if let symbolizer { services.append(.init(service: symbolizer)) }
    var watcher: SpoolWatcher?
    if let path = configuration.spool {
      let host = try hostServices(
        spool: path, store: store, symbolizer: symbolizer, monitor: monitor)
      watcher = host.watcher
      services += host.services
    }
    if let listen = configuration.listen {
      let status = StatusReport(
        configuration: configuration, store: store, watcher: watcher, monitor: monitor)
      let server = APIServer(
        configuration: configuration, store: store, status: status, symbolizer: symbolizer,
        metrics: metrics, monitor: monitor, logger: logger)
      services.append(
        .init(
          service: try server.service(listening: listen) { [logger] port in
            logger.info("listening", metadata: ["port": "\(port)"])
          }))
    }
    if let store {
      services.append(.init(service: Housekeeping(store: store, logger: logger)))
    }
    services.append(.init(service: SystemdService(monitor: monitor)))
    services.append(
      .init(
        service: Announcement(
          logger: logger,
          facts: [
            "spool": "\(configuration.spool ?? "none")",
            "to": "\(configuration.upstream ?? store?.name ?? "none")",
            "listen": "\(configuration.listen?.description ?? "none")",
          ])))
    let group = ServiceGroup(configuration: .init(services: services, logger: logger))
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

  private func hostServices(
    spool path: String, store: (any FleetStore)?, symbolizer: Symbolizer?, monitor: DaemonMonitor
  ) throws(Failure) -> (
    services: [ServiceGroupConfiguration.ServiceConfiguration], watcher: SpoolWatcher
  ) {
    let spool = try Spool(path: path)
    let ledger = try IntakeLedger(path: spool.ledgerPath)
    var options = IntakeOptions(
      labels: configuration.labels, host: configuration.host ?? HostID.ofThisMachine())
    options.userBytes = configuration.userBytes
    options.userFiles = configuration.userFiles
    options.totalBytes = configuration.totalBytes
    options.totalFiles = configuration.totalFiles
    options.userRate = configuration.userRate
    let intake = try SpoolIntake(spool: spool, ledger: ledger, options: options)
    let watcher = try SpoolWatcher()
    let wake = WakeUp()
    let sink: any FleetSink =
      if let store { StoreSink(store: store) } else { try upstreamSink() }
    return (
      [
        .init(
          service: Forwarder(
            ledger: ledger, sink: sink, configuration: configuration,
            asideDirectory: spool.quarantinePath, wake: wake, monitor: monitor, logger: logger,
            onDelivery: { symbolizer?.lookSoon() })),
        .init(
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
